package io.fairlead.transport.ucx;

import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.host.HostFiles;
import java.nio.file.Path;
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

    /** This host, with the ports that may be used. */
    static RdmaHost here(String allowed) {
        RdmaHost found = new RdmaPorts(new HostFiles(Path.of("/"))).host(allowed);
        if (!found.present()) {
            return found;
        }
        Diagnosis memory = new HostLimits(UcxHost.here()).lockedMemory(true);
        return memory.level() == Diagnosis.Level.FAILURE
                ? none(memory.name() + ": " + memory.finding() + "; " + memory.remedy())
                : found;
    }

    /** A host that is not to use what RDMA it may have. */
    static RdmaHost none(String cause) {
        return new RdmaHost(List.of(), false, cause);
    }

    boolean present() {
        return !ports.isEmpty();
    }

    boolean ethernet() {
        return ports.stream().anyMatch(RdmaPort::ethernet);
    }

    boolean infiniband() {
        return ports.stream().anyMatch(port -> !port.ethernet());
    }

    /** The devices' names with commas. */
    String devices() {
        return ports.stream().map(RdmaPort::device).distinct().collect(Collectors.joining(","));
    }
}
