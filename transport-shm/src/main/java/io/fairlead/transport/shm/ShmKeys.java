package io.fairlead.transport.shm;

import io.fairlead.ConfigKey;

/** The configuration keys of the transport. */
final class ShmKeys {
    /** The way around reading other processes; to compare, or where tracing is watched. */
    static final ConfigKey<Boolean> CMA = ConfigKey.of(
            "shm.cma",
            Boolean.class,
            true,
            "",
            "true or false",
            "Whether long messages are read out of the sender's memory with one copy, where the kernel allows it; else they go in parts.",
            ShmKeys::parseFlag);

    /** Yama's setting 1 keeps the right to read a process to its parents; this gives it to all processes of the user. */
    static final ConfigKey<Boolean> READERS = ConfigKey.of(
            "shm.readers",
            Boolean.class,
            false,
            "",
            "true or false",
            "Lets processes of this user read, and trace, this one under kernel.yama.ptrace_scope=1, which long messages are faster by.",
            ShmKeys::parseFlag);

    private ShmKeys() {}

    private static boolean parseFlag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        };
    }
}
