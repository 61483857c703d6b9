package io.fairlead.benchmarks.process;

import java.lang.management.ManagementFactory;

/** What this process has taken of the processors. */
public final class ProcessorTime {
    private static final com.sun.management.OperatingSystemMXBean SYSTEM =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private ProcessorTime() {}

    /** Of all its threads since it began. */
    public static long ofThisProcessNs() {
        return SYSTEM.getProcessCpuTime();
    }
}
