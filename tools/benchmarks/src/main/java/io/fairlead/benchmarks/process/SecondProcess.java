package io.fairlead.benchmarks.process;

import io.fairlead.FairleadException;
import io.fairlead.cli.command.CommandFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The other process of a comparison: the same JVM with all its compilers, and the same class path. */
public final class SecondProcess {
    private static final long CONNECT_LIMIT_S = 20;

    private SecondProcess() {}

    /** What one process does with another. */
    public interface Comparison<T> {
        T run() throws IOException;
    }

    public static Process start(List<String> jvmOptions, Class<?> mainClass, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(jvmOptions);
        command.addAll(List.of("--class-path", System.getProperty("java.class.path"), mainClass.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        // UCX would take over signals that the JVM needs.
        builder.environment().put("UCX_ERROR_SIGNALS", "");
        return builder.start();
    }

    /** Compares; that the other process is gone, or does not come, fails the command. */
    public static <T> T compare(Comparison<T> comparison) {
        try {
            return comparison.run();
        } catch (IOException failure) {
            throw CommandFailure.failed("the comparison broke off: " + failure);
        } catch (FairleadException lost) {
            throw CommandFailure.failed("the answering process is gone: " + lost.getMessage());
        }
    }

    /**
     * Waits for the other process.
     *
     * @param connected makes progress, and tells whether the process has connected all that it is to connect
     */
    public static void await(Process answering, BooleanSupplier connected) throws IOException {
        long startNs = System.nanoTime();
        while (!connected.getAsBoolean()) {
            if (!answering.isAlive() || System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(CONNECT_LIMIT_S)) {
                throw new IOException("the answering process did not connect within " + CONNECT_LIMIT_S + " s");
            }
            Thread.onSpinWait();
        }
    }
}
