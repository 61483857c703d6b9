package io.fairlead.transport.ucx;

import io.fairlead.spi.Diagnosis;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The RDMA devices of a host and the state of their ports, as the kernel's verbs tell it. */
final class RdmaDiagnosis {
    private static final String DEVICES = "/sys/class/infiniband";
    private static final String CHANNEL_ADAPTER = "1:";
    private static final String ETHERNET = "Ethernet";

    /** What a kernel shows for places of the table that are not taken: nothing, or the prefix of link-local addresses alone. */
    private static final Pattern EMPTY_GID = Pattern.compile("(fe80|0000)(:0000){7}");

    private static final int[] RDMA_MTUS = {4096, 2048, 1024, 512, 256};
    /** Headers of RoCE v2 over IPv6 and the checksum of the packet. */
    private static final int ROCE_HEADERS = 76;

    private final HostFiles files;

    RdmaDiagnosis(HostFiles files) {
        this.files = files;
    }

    /** Whether there is a device that UCX can use. */
    boolean present() {
        return files.names(DEVICES).stream().anyMatch(this::isChannelAdapter);
    }

    private boolean isChannelAdapter(String device) {
        return files.text(DEVICES + "/" + device + "/node_type").orElse("").startsWith(CHANNEL_ADAPTER);
    }

    List<Diagnosis> run() {
        List<String> devices = files.names(DEVICES);
        if (devices.isEmpty()) {
            return List.of(Diagnosis.ok("rdma", "no device: other hosts are reached over TCP"));
        }
        List<Diagnosis> findings = new ArrayList<>();
        List<Port> ports = devices.stream().flatMap(this::ports).toList();
        boolean active = ports.stream().anyMatch(Port::active);
        for (String device : devices) {
            if (isChannelAdapter(device)) {
                access(device).ifPresent(findings::add);
            } else {
                findings.add(refused(device));
            }
        }
        ports.forEach(port -> findings.add(judge(port, active)));
        if (present() && files.names("/etc/libibverbs.d").isEmpty()) {
            findings.add(Diagnosis.warning(
                    "rdma drivers",
                    "/etc/libibverbs.d names none, so that UCX may see no device",
                    "install them with: apt-get install -y ibverbs-providers"));
        }
        return findings;
    }

    private Diagnosis refused(String device) {
        String type = files.text(DEVICES + "/" + device + "/node_type").orElse("unknown");
        return Diagnosis.warning(
                "rdma " + device,
                (type.startsWith("4:") ? "iWARP" : "device of type " + type)
                        + ": UCX refuses it, so that other hosts are reached over TCP",
                "use an InfiniBand or RoCE device; set policy=tcp-only to do without RDMA on purpose");
    }

    /** Programs reach a device through a file, which containers have to be given. */
    private Optional<Diagnosis> access(String device) {
        String verbs = "/sys/class/infiniband_verbs";
        Optional<String> file = files.names(verbs).stream()
                .filter(name ->
                        files.text(verbs + "/" + name + "/ibdev").orElse("").equals(device))
                .map(name -> "/dev/infiniband/" + name)
                .findFirst();
        if (file.isPresent() && files.usable(file.get())) {
            return Optional.empty();
        }
        return Optional.of(Diagnosis.failure(
                "rdma " + device,
                file.map(name -> name + (files.exists(name) ? " is not for this user" : " is missing"))
                        .orElse("the kernel offers it to no program"),
                file.isPresent()
                        ? "pass it to a container with --device=/dev/infiniband, or give its group to the user"
                        : "load the module with: modprobe ib_uverbs"));
    }

    private Stream<Port> ports(String device) {
        return isChannelAdapter(device)
                ? files.names(DEVICES + "/" + device + "/ports").stream().map(number -> port(device, number))
                : Stream.empty();
    }

    private Port port(String device, String number) {
        String folder = DEVICES + "/" + device + "/ports/" + number;
        List<Gid> gids = files.names(folder + "/gids").stream()
                .flatMap(index -> files.text(folder + "/gids/" + index).stream()
                        .filter(gid -> !EMPTY_GID.matcher(gid).matches())
                        .map(gid -> new Gid(
                                files.text(folder + "/gid_attrs/types/" + index).orElse(""),
                                files.text(folder + "/gid_attrs/ndevs/" + index).orElse(""))))
                .toList();
        return new Port(
                device + ":" + number,
                meaning(files.text(folder + "/state")),
                meaning(files.text(folder + "/phys_state")),
                files.text(folder + "/link_layer").orElse("unknown link layer"),
                files.text(folder + "/rate").orElse("unknown rate"),
                gids);
    }

    /** The kernel writes a number and what it stands for. */
    private static String meaning(Optional<String> text) {
        return text.orElse("unknown").replaceFirst("^\\d+: *", "");
    }

    private Diagnosis judge(Port port, boolean anotherActive) {
        String name = "rdma " + port.name();
        String finding = port.linkLayer() + " " + port.state() + "/" + port.physicalState() + ", " + port.rate();
        if (!port.active()) {
            String remedy =
                    port.physicalState().equals("LinkUp") && !port.linkLayer().equals(ETHERNET)
                            ? "start a subnet manager, such as opensm, in the fabric"
                            : "check cable and switch, and set the interface up with: ip link set DEV up";
            return anotherActive
                    ? Diagnosis.warning(name, finding + ": the port is not active", remedy)
                    : Diagnosis.failure(name, finding + ": the port is not active, nor is any other", remedy);
        }
        if (port.gids().isEmpty()) {
            return Diagnosis.failure(
                    name,
                    finding + ", no GID: peers cannot address the port",
                    "give its network interface an IP address");
        }
        return port.linkLayer().equals(ETHERNET)
                ? judgeEthernet(name, finding, port)
                : Diagnosis.ok(name, finding + ", GIDs=" + port.gids().size());
    }

    private Diagnosis judgeEthernet(String name, String finding, Port port) {
        List<Gid> routable =
                port.gids().stream().filter(gid -> gid.type().contains("v2")).toList();
        String found = finding + ", GIDs=" + port.gids().size() + " (RoCE v2: " + routable.size() + ")";
        if (routable.isEmpty()) {
            return Diagnosis.warning(
                    name,
                    found + ": RoCE v1 does not cross a router",
                    "give its network interface an IP address, and use a driver with RoCE v2");
        }
        String device = routable.getFirst().networkDevice();
        Optional<Integer> known = files.text("/sys/class/net/" + device + "/mtu")
                .filter(text -> text.matches("\\d{1,9}"))
                .map(Integer::valueOf);
        if (known.isEmpty()) {
            return Diagnosis.ok(name, found + ", MTU not known");
        }
        int packet = packet(known.get());
        String full = found + ", " + device + " MTU=" + known.get() + " bytes";
        return packet < RDMA_MTUS[0]
                ? Diagnosis.warning(
                        name,
                        full + ": RDMA packets carry " + packet + " of " + RDMA_MTUS[0] + " bytes",
                        "set an MTU of 4200 or more on interface and switch: ip link set " + device + " mtu 9000")
                : Diagnosis.ok(name, full);
    }

    private static int packet(int mtu) {
        for (int packet : RDMA_MTUS) {
            if (packet + ROCE_HEADERS <= mtu) {
                return packet;
            }
        }
        return 0;
    }

    private record Gid(String type, String networkDevice) {}

    private record Port(
            String name, String state, String physicalState, String linkLayer, String rate, List<Gid> gids) {
        boolean active() {
            return state.equals("ACTIVE");
        }
    }
}
