package io.fairlead.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** What Jazzer calls, by these names: with the name of a surface once, and then with one input after the other. */
public final class FuzzTarget {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static @Nullable Harness harness;

    private FuzzTarget() {}

    /** Takes the name of the surface. */
    public static void fuzzerInitialize(String[] arguments) {
        harness = arguments[0].equals(PlantedFault.LABEL)
                ? new PlantedFault()
                : Surface.of(arguments[0]).open();
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
        long limit = fed.heapMax(input.length);
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
