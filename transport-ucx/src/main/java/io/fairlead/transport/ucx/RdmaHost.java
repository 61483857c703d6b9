package io.fairlead.transport.ucx;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The RDMA of a host that UCX can use.
 *
 * @param ports the usable ports
 * @param software whether some of them belong to the kernel's software RoCE
 * @param cause why there is no port; empty if there is one
 */
record RdmaHost(List<RdmaPort> ports, boolean software, String cause) {
    RdmaHost {
        ports = List.copyOf(ports);
    }

    /** A host whose RDMA, if any, must not be used. */
    static RdmaHost none(String cause) {
        return new RdmaHost(List.of(), false, cause);
    }

    /**
     * The ports that UCX has opened with a transport that finds peers.
     *
     * @param resources the transports and devices that UCX has opened
     */
    RdmaHost openedBy(List<UcxResources.Resource> resources) {
        List<RdmaPort> opened = ports.stream()
                .filter(port -> resources.stream()
                        .anyMatch(resource -> resource.device().equals(port.name()) && resource.findsPeers()))
                .toList();
        return new RdmaHost(opened, software, opened.isEmpty() ? "UCX has opened no port" : "");
    }

    boolean hasPort() {
        return !ports.isEmpty();
    }

    boolean hasEthernet() {
        return ports.stream().anyMatch(RdmaPort::ethernet);
    }

    boolean hasInfiniband() {
        return ports.stream().anyMatch(port -> !port.ethernet());
    }

    /** The devices' names, separated by commas. */
    String devices() {
        return ports.stream().map(RdmaPort::device).distinct().collect(Collectors.joining(","));
    }
}
