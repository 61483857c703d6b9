package io.fairlead.cli.perf;

import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.process.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@code fairlead perf server} in a second process, which ends with this one. */
final class PerfChild implements AutoCloseable {
    private static final long END_LIMIT_S = 5;

    private final Process process;
    private final Address address;

    private PerfChild(Process process, Address address) {
        this.process = process;
        this.address = address;
    }

    static PerfChild start(List<String> arguments) {
        List<String> all = new ArrayList<>(List.of("perf", "server", "--listen=127.0.0.1:0", PerfServerCommand.ONCE));
        all.addAll(arguments);
        try {
            Process process = new ProcessBuilder(JavaCommand.measuredChild(all))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try {
                return new PerfChild(process, address(process.inputReader()));
            } catch (IOException | RuntimeException failed) {
                process.destroyForcibly();
                throw failed;
            }
        } catch (IOException failure) {
            throw CommandFailure.failed("the second process cannot be started: " + failure.getMessage());
        }
    }

    private static Address address(BufferedReader output) throws IOException {
        String line = output.readLine();
        if (line == null || !line.startsWith(PerfServerCommand.LISTENING)) {
            throw CommandFailure.failed("the second process did not come up; what it said is above");
        }
        return Address.parse(line.substring(PerfServerCommand.LISTENING.length()));
    }

    Address address() {
        return address;
    }

    /** Waits for its end, which follows that of its only client. */
    @Override
    public void close() {
        try {
            if (!process.waitFor(END_LIMIT_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
