package io.fairlead.transport.ucx;

import java.util.List;

/**
 * A port of an RDMA device, from the kernel's verbs files.
 *
 * @param device the device's name
 * @param number the port's number on it
 * @param state the logical state
 * @param physicalState the state of the link
 * @param linkLayer InfiniBand or Ethernet
 * @param rate the kernel's text of the rate
 * @param gids the addresses of the port
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
     * @param type the version of RoCE, or InfiniBand
     * @param networkDevice its network interface; may be empty
     */
    record Gid(String type, String networkDevice) {}

    /** UCX's name of the port. */
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
