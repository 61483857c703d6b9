package io.fairlead.benchmarks.command;

import io.fairlead.cli.command.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/** Whether the machine has anything to do but this. */
public final class Load {
    private static final Path TABLE = Path.of("/proc/loadavg");
    private static final int SAMPLES = 40;
    private static final long PAUSE_NS = 25_000_000;

    private Load() {}

    /** Fails where more threads of others want to run than there are processors: the figures would be those of the scheduler. */
    public static void check() {
        double running = running();
        int processors = Runtime.getRuntime().availableProcessors();
        if (running > processors) {
            throw CommandFailure.failed(String.format(
                    Locale.ROOT,
                    "the machine is busy: %.1f threads of other work want to run, processors=%d; end that work, or wait for it",
                    running,
                    processors));
        }
    }

    /** The mean number of threads that run or want to, over a second, without this one. */
    private static double running() {
        int sum = 0;
        for (int i = 0; i < SAMPLES; i++) {
            try {
                String[] fields = Files.readString(TABLE).split(" ", -1);
                sum += Integer.parseInt(fields[3].substring(0, fields[3].indexOf('/'))) - 1;
            } catch (IOException unknown) {
                return 0;
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
        return (double) sum / SAMPLES;
    }
}
