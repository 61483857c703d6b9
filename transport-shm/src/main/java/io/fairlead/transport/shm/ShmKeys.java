package io.fairlead.transport.shm;

import io.fairlead.config.ConfigKey;
import java.util.List;

/** The configuration keys of the transport. */
final class ShmKeys {
    static final String AUTO = "auto";
    static final String ALWAYS = "always";

    /** Disables reading other processes; for comparisons, or where ptrace is monitored. */
    static final ConfigKey<Boolean> CMA = ConfigKey.flag(
            "shm.cma",
            true,
            "Whether long messages are read out of the sender's memory with one copy, where the kernel allows it; else they go in parts.");

    /** Yama's setting 1 restricts reading a process to its parents; this allows it to all processes of the user. */
    static final ConfigKey<Boolean> READERS = ConfigKey.flag(
            "shm.readers",
            false,
            "Lets processes of this user read, and trace, this one under kernel.yama.ptrace_scope=1, which long messages are faster by.");

    /** Two copies are faster only between processors that share more than the last-level cache. */
    static final ConfigKey<String> ONE_COPY = ConfigKey.choice(
            "shm.one-copy",
            AUTO,
            List.of(AUTO, ALWAYS, "never"),
            "Whether messages of more than 16 KiB, up to endpoint.eager-max, are read out of the sender's memory as longer ones are,"
                    + " where the kernel allows it, and not copied through a ring; auto: unless all processors share their second cache.");

    /** Containers of a pod share a network namespace, pods of a node do not. */
    static final ConfigKey<String> SOCKET_DIR = ConfigKey.text(
            "shm.socket-dir",
            "",
            80,
            "A folder, such as a shared volume, in which processes of different network namespaces find each other; empty: the network namespace.");

    private ShmKeys() {}
}
