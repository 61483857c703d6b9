package io.fairlead.transport.ucx;

import io.fairlead.PathClass;
import java.util.List;

/**
 * What the UCX transports that a context may use can do between two processes.
 *
 * @param names as UCX calls them
 * @param memory some share memory
 * @param rdma some use a network card that reads and writes by itself
 * @param tcp UCX's own tcp is among them
 */
record Lanes(List<String> names, boolean memory, boolean rdma, boolean tcp) {
    private static final List<String> MEMORY = List.of("posix", "sysv");
    /** Beginnings of names: {@code rc}, {@code rc_verbs}, {@code rc_mlx5} and so on. */
    private static final List<String> RDMA = List.of("rc", "ud", "dc", "ib", "srd");

    private static final byte MEMORY_BIT = 1;
    private static final byte RDMA_BIT = 1 << 1;
    private static final byte TCP_BIT = 1 << 2;

    /** The lanes of a list as UCX takes it. */
    static Lanes of(String tls) {
        List<String> names = List.of(tls.split(",", -1));
        return new Lanes(
                names,
                names.stream().anyMatch(MEMORY::contains),
                names.stream().anyMatch(name -> RDMA.stream().anyMatch(name::startsWith)),
                names.contains("tcp"));
    }

    /** What a peer has to know of them. */
    byte bits() {
        return (byte) ((memory ? MEMORY_BIT : 0) | (rdma ? RDMA_BIT : 0) | (tcp ? TCP_BIT : 0));
    }

    static Lanes ofBits(byte bits) {
        return new Lanes(List.of(), (bits & MEMORY_BIT) != 0, (bits & RDMA_BIT) != 0, (bits & TCP_BIT) != 0);
    }

    /** How two processes reach each other's memory. */
    MemoryAccess access(Lanes peer, boolean sameHost) {
        if (sameHost && memory && peer.memory) {
            return MemoryAccess.MAPPED;
        }
        return rdma && peer.rdma ? MemoryAccess.RDMA : MemoryAccess.SERVED;
    }

    /** Whether any lane leads from one process to the other. */
    boolean reach(Lanes peer, boolean sameHost) {
        return access(peer, sameHost) != MemoryAccess.SERVED || (tcp && peer.tcp);
    }

    /** The kind of path that {@link #reach} has found. */
    PathClass pathClass(Lanes peer, boolean sameHost) {
        return switch (access(peer, sameHost)) {
            case MAPPED -> PathClass.SHARED_MEMORY;
            case RDMA -> PathClass.RDMA;
            case SERVED -> PathClass.TCP;
        };
    }
}
