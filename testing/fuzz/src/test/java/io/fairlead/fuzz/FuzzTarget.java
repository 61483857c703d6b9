package io.fairlead.fuzz;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What Jazzer calls, by these names: with the name of a surface once, and then with one input after the other. */
public final class FuzzTarget {
    /** The property that names the folder of seeds. */
    static final String CORPUS = "fairlead.fuzz.corpus";

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static @Nullable Harness harness;

    private FuzzTarget() {}

    /** Takes the name of the surface. Writes the seeds too: those of a harness with keys mean nothing to another process, which has other keys. */
    public static void fuzzerInitialize(String[] arguments) throws IOException {
        Harness opened = arguments[0].equals(PlantedFault.LABEL)
                ? new PlantedFault()
                : Surface.of(arguments[0]).open();
        Path corpus = Path.of(System.getProperty(CORPUS));
        List<byte[]> seeds = opened.seeds();
        for (int i = 0; i < seeds.size(); i++) {
            Files.write(corpus.resolve("seed-" + i), seeds.get(i));
        }
        harness = opened;
    }

    /** Takes one input. */
    public static void fuzzerTestOneInput(byte[] input) {
        Harness fed = harness;
        if (fed == null) {
            throw new IllegalStateException("no surface was named");
        }
        feed(fed, input);
    }

    /** Runs an input, and again if it was dear: the first time a class is loaded, and instrumented, on its account. */
    static void feed(Harness fed, byte[] input) {
        long limit = fed.heapMax(input);
        if (run(fed, input) > limit && run(fed, input) > limit) {
            long cost = run(fed, input);
            if (cost > limit) {
                throw new AssertionError("too much memory for an input: length=" + input.length + ", allocated=" + cost
                        + ", limit=" + limit + " bytes");
            }
        }
    }

    private static long run(Harness fed, byte[] input) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        fed.run(input);
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}
