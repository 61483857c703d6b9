package io.fairlead.transport.ucx;

import io.fairlead.spi.host.HostFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the RDMA devices of a host and their ports from the kernel's verbs files. */
final class RdmaPorts {
    private static final String DEVICES = "/sys/class/infiniband";
    private static final String VERBS = "/sys/class/infiniband_verbs";
    private static final String CHANNEL_ADAPTER = "1:";
    private static final String IWARP = "4:";

    /** The kernel's text for empty table entries: nothing, or only the prefix of link-local addresses. */
    private static final Pattern EMPTY_GID = Pattern.compile("(fe80|0000)(:0000){7}");

    private final HostFiles files;

    RdmaPorts(HostFiles files) {
        this.files = files;
    }

    /** The names of all devices, including devices that UCX refuses. */
    List<String> devices() {
        return files.names(DEVICES);
    }

    /** Whether UCX can use a device: InfiniBand and RoCE, not iWARP. */
    boolean isChannelAdapter(String device) {
        return nodeType(device).startsWith(CHANNEL_ADAPTER);
    }

    /** The type of a device that UCX refuses. */
    String refusedType(String device) {
        String type = nodeType(device);
        return type.startsWith(IWARP) ? "iWARP" : "device of type " + (type.isEmpty() ? "unknown" : type);
    }

    private String nodeType(String device) {
        return files.text(DEVICES + "/" + device + "/node_type").orElse("");
    }

    /** Whether a device is the kernel's software RoCE, which alone names its underlying interface. */
    boolean isSoftware(String device) {
        return files.exists(DEVICES + "/" + device + "/parent");
    }

    /** The file by which programs open a device; empty if the kernel offers none. */
    Optional<String> deviceFile(String device) {
        return files.names(VERBS).stream()
                .filter(name ->
                        files.text(VERBS + "/" + name + "/ibdev").orElse("").equals(device))
                .map(name -> "/dev/infiniband/" + name)
                .findFirst();
    }

    /** The ports of a device that UCX can use; empty for other devices. */
    List<RdmaPort> ports(String device) {
        return ports(device, Integer.MAX_VALUE);
    }

    private List<RdmaPort> ports(String device, int gidsMax) {
        return isChannelAdapter(device)
                ? files.names(DEVICES + "/" + device + "/ports").stream()
                        .map(number -> port(device, number, gidsMax))
                        .toList()
                : List.of();
    }

    private RdmaPort port(String device, String number, int gidsMax) {
        String folder = DEVICES + "/" + device + "/ports/" + number;
        List<RdmaPort.Gid> gids = files.names(folder + "/gids").stream()
                .flatMap(index -> files.text(folder + "/gids/" + index).stream()
                        .filter(gid -> !EMPTY_GID.matcher(gid).matches())
                        .map(gid -> new RdmaPort.Gid(
                                files.text(folder + "/gid_attrs/types/" + index).orElse(""),
                                files.text(folder + "/gid_attrs/ndevs/" + index).orElse(""))))
                .limit(gidsMax)
                .toList();
        return new RdmaPort(
                device,
                number,
                meaning(files.text(folder + "/state")),
                meaning(files.text(folder + "/phys_state")),
                files.text(folder + "/link_layer").orElse("unknown link layer"),
                files.text(folder + "/rate").orElse("unknown rate"),
                gids);
    }

    /** The given port that is no longer up, as text. */
    Optional<String> down(List<RdmaPort> ports) {
        return ports.stream()
                .flatMap(port -> {
                    String state =
                            meaning(files.text(DEVICES + "/" + port.device() + "/ports/" + port.number() + "/state"));
                    return state.equals(RdmaPort.ACTIVE) ? Stream.empty() : Stream.of(notUp(port, state));
                })
                .findFirst();
    }

    private static String notUp(RdmaPort port, String state) {
        return "port " + port.name() + " is " + state;
    }

    /** The kernel writes a number and its meaning. */
    private static String meaning(Optional<String> text) {
        return text.orElse("unknown").replaceFirst("^\\d+: *", "");
    }

    /**
     * The RDMA of this host that can carry messages to others.
     *
     * @param allowed names of ports in UCX's format, separated by commas, or {@code all}
     */
    RdmaHost host(String allowed) {
        List<String> names = List.of(allowed.split(",", -1));
        List<RdmaPort> usable = new ArrayList<>();
        List<String> obstacles = new ArrayList<>();
        boolean software = false;
        for (String device : devices()) {
            if (!isChannelAdapter(device)) {
                obstacles.add(device + " is " + refusedType(device) + ", which UCX refuses");
                continue;
            }
            Optional<String> file = deviceFile(device);
            if (file.isEmpty() || !files.usable(file.get())) {
                obstacles.add(device + " is not for this process: "
                        + file.map(name -> name + (files.exists(name) ? " may not be opened" : " is missing"))
                                .orElse("the module ib_uverbs is not loaded"));
                continue;
            }
            // A device may have a thousand GIDs, with a file for each; here one is enough.
            for (RdmaPort port : ports(device, 1)) {
                obstacle(port, names).ifPresentOrElse(obstacles::add, () -> usable.add(port));
            }
            software |= isSoftware(device)
                    && usable.stream().anyMatch(port -> port.device().equals(device));
        }
        String cause = obstacles.isEmpty() ? "no RDMA device" : String.join(", ", obstacles);
        return new RdmaHost(usable, software, usable.isEmpty() ? cause : "");
    }

    private static Optional<String> obstacle(RdmaPort port, List<String> allowed) {
        if (!allowed.contains("all") && !allowed.contains(port.name())) {
            return Optional.of("port " + port.name() + " is not among the allowed " + String.join(",", allowed));
        }
        if (!port.active()) {
            return Optional.of(notUp(port, port.state()));
        }
        return port.usable() ? Optional.empty() : Optional.of("port " + port.name() + " has no GID");
    }
}
