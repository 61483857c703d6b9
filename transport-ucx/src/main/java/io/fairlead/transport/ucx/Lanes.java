package io.fairlead.transport.ucx;

import io.fairlead.PathClass;
import java.util.List;

/**
 * The abilities of the allowed UCX transports between two processes.
 *
 * @param names UCX's names
 * @param memory whether some have queues in shared memory
 * @param copies whether some copy between processes through the kernel, without a queue
 * @param infiniband whether some use a network card with RDMA, on a port of InfiniBand
 * @param roce the same, on a port of Ethernet
 * @param tcp whether UCX's own tcp is among them
 */
record Lanes(List<String> names, boolean memory, boolean copies, boolean infiniband, boolean roce, boolean tcp) {
    /** The kind of path between two processes. */
    enum Route {
        /** Queues in shared memory. */
        SHARED_MEMORY,
        /** Network cards alone, so only those access memory. */
        RDMA,
        /** UCX's own tcp. */
        TCP,
        /** No path. */
        NONE
    }

    /** The last three are UCX's names for several transports. */
    private static final List<String> MEMORY = List.of("posix", "sysv", "xpmem", "mm", "sm", "shm");

    private static final List<String> COPIES = List.of("cma", "knem");
    /** Prefixes of names: {@code rc}, {@code rc_verbs}, {@code rc_mlx5} and so on. */
    private static final List<String> RDMA = List.of("rc", "ud", "dc", "ib", "srd");

    private static final byte MEMORY_BIT = 1;
    private static final byte INFINIBAND_BIT = 1 << 1;
    private static final byte TCP_BIT = 1 << 2;
    private static final byte ROCE_BIT = 1 << 3;
    private static final byte COPIES_BIT = 1 << 4;

    /** The lanes of a list in UCX's format, on a host that may have RDMA. */
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

    /** Whether a list in UCX's format has a transport for network cards. */
    static boolean wantRdma(String tls) {
        return List.of(tls.split(",", -1)).stream().anyMatch(Lanes::isRdma);
    }

    /** Whether a UCX transport is for network cards. */
    static boolean isRdma(String name) {
        return RDMA.stream().anyMatch(name::startsWith);
    }

    boolean rdma() {
        return infiniband || roce;
    }

    /** The names of the transports that leave the host through a network card, or of the other transports. */
    List<String> names(PathClass pathClass) {
        return names.stream()
                .filter(name -> isRdma(name) == (pathClass == PathClass.RDMA))
                .toList();
    }

    /** The abilities as sent to a peer. */
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
     * The kind of path between two processes. Within a host network cards are used only if UCX has nothing else between
     * the two: it would prefer them for puts and gets, and access memory that may have been freed.
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

    /** Whether both sides have lanes that stay within a host. */
    boolean isWithinHost(Lanes peer) {
        return (memory || copies) && (peer.memory || peer.copies);
    }

    /** The class of an existing path. */
    static PathClass pathClass(Route route) {
        return switch (route) {
            case SHARED_MEMORY -> PathClass.SHARED_MEMORY;
            case RDMA -> PathClass.RDMA;
            case TCP, NONE -> PathClass.TCP;
        };
    }
}
