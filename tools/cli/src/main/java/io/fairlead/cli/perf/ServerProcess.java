package io.fairlead.cli.perf;

import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import java.util.ArrayList;
import java.util.List;

/** A {@code fairlead perf server} in another process, for one client. */
record ServerProcess(PerfChild child, Address address) implements AutoCloseable {
    /**
     * Starts one, and waits until clients can connect.
     *
     * @param name what failures call it
     * @param arguments more of its command line
     */
    static ServerProcess start(String name, List<String> arguments) {
        List<String> all = new ArrayList<>(List.of("server", "--listen=127.0.0.1:0", PerfServerCommand.ONCE));
        all.addAll(arguments);
        PerfChild child = PerfChild.start(name, all);
        try {
            String line = child.hear();
            if (!line.startsWith(PerfServerCommand.LISTENING)) {
                throw CommandFailure.failed(name + " did not say where it listens: line=" + line);
            }
            return new ServerProcess(child, Address.parse(line.substring(PerfServerCommand.LISTENING.length())));
        } catch (RuntimeException failed) {
            child.close();
            throw failed;
        }
    }

    @Override
    public void close() {
        child.close();
    }
}
