package io.fairlead.transport.ucx;

import io.fairlead.PathClass;
import java.util.List;

/**
 * What the UCX transports that a context may use can do between two processes.
 *
 * @param names as UCX calls them
 * @param memory some share memory
 * @param infiniband some use a network card that reads and writes by itself, on a port of InfiniBand
 * @param roce the same, on a port of Ethernet
 * @param tcp UCX's own tcp is among them
 */
record Lanes(List<String> names, boolean memory, boolean infiniband, boolean roce, boolean tcp) {
    private static final List<String> MEMORY = List.of("posix", "sysv");
    /** Beginnings of names: {@code rc}, {@code rc_verbs}, {@code rc_mlx5} and so on. */
    private static final List<String> RDMA = List.of("rc", "ud", "dc", "ib", "srd");

    private static final byte MEMORY_BIT = 1;
    private static final byte INFINIBAND_BIT = 1 << 1;
    private static final byte TCP_BIT = 1 << 2;
    private static final byte ROCE_BIT = 1 << 3;

    /** The lanes of a list as UCX takes it, on a host that may have RDMA. */
    static Lanes of(String tls, RdmaHost host) {
        List<String> names = List.of(tls.split(",", -1));
        boolean rdma = names.stream().anyMatch(Lanes::isRdma);
        return new Lanes(
                names,
                names.stream().anyMatch(MEMORY::contains),
                rdma && host.infiniband(),
                rdma && host.ethernet(),
                names.contains("tcp"));
    }

    /** Whether a list as UCX takes it has a transport for network cards in it. */
    static boolean wantRdma(String tls) {
        return List.of(tls.split(",", -1)).stream().anyMatch(Lanes::isRdma);
    }

    private static boolean isRdma(String name) {
        return RDMA.stream().anyMatch(name::startsWith);
    }

    boolean rdma() {
        return infiniband || roce;
    }

    /** Those that leave the host through a network card, or those that do not. */
    List<String> names(PathClass pathClass) {
        return names.stream()
                .filter(name -> isRdma(name) == (pathClass == PathClass.RDMA))
                .toList();
    }

    /** What a peer has to know of them. */
    byte bits() {
        return (byte) ((memory ? MEMORY_BIT : 0)
                | (infiniband ? INFINIBAND_BIT : 0)
                | (tcp ? TCP_BIT : 0)
                | (roce ? ROCE_BIT : 0));
    }

    static Lanes ofBits(byte bits) {
        return new Lanes(
                List.of(),
                (bits & MEMORY_BIT) != 0,
                (bits & INFINIBAND_BIT) != 0,
                (bits & ROCE_BIT) != 0,
                (bits & TCP_BIT) != 0);
    }

    /** How two processes reach each other's memory. */
    MemoryAccess access(Lanes peer, boolean sameHost) {
        if (sameHost && memory && peer.memory) {
            return MemoryAccess.MAPPED;
        }
        return (infiniband && peer.infiniband) || (roce && peer.roce) ? MemoryAccess.RDMA : MemoryAccess.SERVED;
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
