package io.fairlead.transport.ucx;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What a host has of RDMA that UCX can use.
 *
 * @param ports the usable ports
 * @param software some of them belong to the kernel's RoCE in software
 * @param cause why there is no port; empty if there is one
 */
record RdmaHost(List<RdmaPort> ports, boolean software, String cause) {
    RdmaHost {
        ports = List.copyOf(ports);
    }

    /** A host that is not to use what RDMA it may have. */
    static RdmaHost none(String cause) {
        return new RdmaHost(List.of(), false, cause);
    }

    /**
     * Of the ports those that UCX has opened with a transport that finds peers.
     *
     * @param resources what UCX has opened
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

    /** The devices' names with commas. */
    String devices() {
        return ports.stream().map(RdmaPort::device).distinct().collect(Collectors.joining(","));
    }
}
