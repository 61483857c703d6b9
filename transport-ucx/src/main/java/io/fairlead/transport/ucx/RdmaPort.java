package io.fairlead.transport.ucx;

import java.util.List;

/**
 * A port of an RDMA device, as the kernel's verbs tell it.
 *
 * @param device the device's name
 * @param number the port's number on it
 * @param state what the subnet or the network says of it
 * @param physicalState what the cable says
 * @param linkLayer InfiniBand or Ethernet
 * @param rate as the kernel writes it
 * @param gids by which peers can address it
 */
record RdmaPort(
        String device,
        String number,
        String state,
        String physicalState,
        String linkLayer,
        String rate,
        List<Gid> gids) {
    static final String ACTIVE = "ACTIVE";
    private static final String ETHERNET = "Ethernet";

    /**
     * An address of a port.
     *
     * @param type which RoCE it is for, or that it is InfiniBand's
     * @param networkDevice the network interface that it belongs to; may be empty
     */
    record Gid(String type, String networkDevice) {}

    /** As UCX calls the port. */
    String name() {
        return device + ":" + number;
    }

    boolean active() {
        return state.equals(ACTIVE);
    }

    boolean ethernet() {
        return linkLayer.equals(ETHERNET);
    }

    boolean usable() {
        return active() && !gids.isEmpty();
    }
}
