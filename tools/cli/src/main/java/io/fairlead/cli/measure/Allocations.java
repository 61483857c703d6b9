package io.fairlead.cli.measure;

import java.lang.management.ManagementFactory;

/** Bytes that the calling thread has allocated on the heap. */
public final class Allocations {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocations() {}

    public static long ofThisThread() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }
}
