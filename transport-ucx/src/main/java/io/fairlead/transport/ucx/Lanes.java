package io.fairlead.transport.ucx;

import io.fairlead.PathClass;
import java.util.List;

/**
 * What the UCX transports that a context may use can do between two processes.
 *
 * @param names as UCX calls them
 * @param memory some have queues in shared memory
 * @param copies some copy from process to process by the kernel, and have no queue
 * @param infiniband some use a network card that reads and writes by itself, on a port of InfiniBand
 * @param roce the same, on a port of Ethernet
 * @param tcp UCX's own tcp is among them
 */
record Lanes(List<String> names, boolean memory, boolean copies, boolean infiniband, boolean roce, boolean tcp) {
    /** How two processes reach each other. */
    enum Route {
        /** By queues in shared memory. */
        SHARED_MEMORY,
        /** By network cards alone, so that those touch memory and nobody else. */
        RDMA,
        /** By UCX's own tcp. */
        TCP,
        /** Not at all. */
        NONE
    }

    /** The last three are UCX's names for several at once. */
    private static final List<String> MEMORY = List.of("posix", "sysv", "xpmem", "mm", "sm", "shm");

    private static final List<String> COPIES = List.of("cma", "knem");
    /** Beginnings of names: {@code rc}, {@code rc_verbs}, {@code rc_mlx5} and so on. */
    private static final List<String> RDMA = List.of("rc", "ud", "dc", "ib", "srd");

    private static final byte MEMORY_BIT = 1;
    private static final byte INFINIBAND_BIT = 1 << 1;
    private static final byte TCP_BIT = 1 << 2;
    private static final byte ROCE_BIT = 1 << 3;
    private static final byte COPIES_BIT = 1 << 4;

    /** The lanes of a list as UCX takes it, on a host that may have RDMA. */
    static Lanes of(String tls, RdmaHost host) {
        List<String> names = List.of(tls.split(",", -1));
        boolean rdma = names.stream().anyMatch(Lanes::isRdma);
        return new Lanes(
                names,
                names.stream().anyMatch(MEMORY::contains),
                names.stream().anyMatch(COPIES::contains),
                rdma && host.hasInfiniband(),
                rdma && host.hasEthernet(),
                names.contains("tcp"));
    }

    /** Whether a list as UCX takes it has a transport for network cards in it. */
    static boolean wantRdma(String tls) {
        return List.of(tls.split(",", -1)).stream().anyMatch(Lanes::isRdma);
    }

    /** Whether a transport of UCX's is for network cards. */
    static boolean isRdma(String name) {
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
                | (copies ? COPIES_BIT : 0)
                | (infiniband ? INFINIBAND_BIT : 0)
                | (tcp ? TCP_BIT : 0)
                | (roce ? ROCE_BIT : 0));
    }

    static Lanes ofBits(byte bits) {
        return new Lanes(
                List.of(),
                (bits & MEMORY_BIT) != 0,
                (bits & COPIES_BIT) != 0,
                (bits & INFINIBAND_BIT) != 0,
                (bits & ROCE_BIT) != 0,
                (bits & TCP_BIT) != 0);
    }

    /**
     * How two processes reach each other. Within a host network cards are taken only where UCX has nothing else between the two: it would
     * prefer that for puts and gets, and copy from and to memory that may be gone by then.
     */
    Route route(Lanes peer, boolean sameHost) {
        if (sameHost && memory && peer.memory) {
            return Route.SHARED_MEMORY;
        }
        if (((infiniband && peer.infiniband) || (roce && peer.roce)) && !(sameHost && isWithinHost(peer))) {
            return Route.RDMA;
        }
        return tcp && peer.tcp ? Route.TCP : Route.NONE;
    }

    /** Whether both sides have lanes of which each stays within a host. */
    boolean isWithinHost(Lanes peer) {
        return (memory || copies) && (peer.memory || peer.copies);
    }

    /** The class of a path that there is. */
    static PathClass pathClass(Route route) {
        return switch (route) {
            case SHARED_MEMORY -> PathClass.SHARED_MEMORY;
            case RDMA -> PathClass.RDMA;
            case TCP, NONE -> PathClass.TCP;
        };
    }
}
