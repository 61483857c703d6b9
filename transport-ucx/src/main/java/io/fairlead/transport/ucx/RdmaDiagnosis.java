package io.fairlead.transport.ucx;

import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.host.HostFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The findings about a host's RDMA devices and ports, from the kernel's verbs files. */
final class RdmaDiagnosis {
    private static final int[] RDMA_MTUS = {4096, 2048, 1024, 512, 256};
    /** Headers of RoCE v2 over IPv6 and the checksum of the packet. */
    private static final int ROCE_HEADERS = 76;

    private final HostFiles files;
    private final RdmaPorts rdma;

    RdmaDiagnosis(HostFiles files) {
        this.files = files;
        this.rdma = new RdmaPorts(files);
    }

    /** Whether there is a device that UCX can use. */
    boolean hasDevice() {
        return rdma.devices().stream().anyMatch(rdma::isChannelAdapter);
    }

    List<Diagnosis> run() {
        List<String> devices = rdma.devices();
        if (devices.isEmpty()) {
            return List.of(Diagnosis.ok("rdma", "no device: other hosts are reached over TCP"));
        }
        List<Diagnosis> findings = new ArrayList<>();
        List<RdmaPort> ports =
                devices.stream().flatMap(device -> rdma.ports(device).stream()).toList();
        boolean active = ports.stream().anyMatch(RdmaPort::active);
        for (String device : devices) {
            if (rdma.isChannelAdapter(device)) {
                access(device).ifPresent(findings::add);
            } else {
                findings.add(refused(device));
            }
        }
        ports.forEach(port -> findings.add(judge(port, active)));
        if (hasDevice() && files.names("/etc/libibverbs.d").isEmpty()) {
            findings.add(Diagnosis.warning(
                    "rdma drivers",
                    "/etc/libibverbs.d names none, so that UCX may see no device",
                    "install them with: apt-get install -y ibverbs-providers"));
        }
        return findings;
    }

    private Diagnosis refused(String device) {
        return Diagnosis.warning(
                "rdma " + device,
                rdma.refusedType(device) + ": UCX refuses it, so that other hosts are reached over TCP",
                "use an InfiniBand or RoCE device; set policy=tcp-only to do without RDMA on purpose");
    }

    /** Programs open a device through a file, which a container must be given. */
    private Optional<Diagnosis> access(String device) {
        Optional<String> file = rdma.deviceFile(device);
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

    private Diagnosis judge(RdmaPort port, boolean anotherActive) {
        String name = "rdma " + port.name();
        String finding = port.linkLayer() + " " + port.state() + "/" + port.physicalState() + ", " + port.rate();
        if (!port.active()) {
            String remedy = port.physicalState().equals("LinkUp") && !port.ethernet()
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
        return port.ethernet()
                ? judgeEthernet(name, finding, port)
                : Diagnosis.ok(name, finding + ", GIDs=" + port.gids().size());
    }

    private Diagnosis judgeEthernet(String name, String finding, RdmaPort port) {
        List<RdmaPort.Gid> routable =
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
}
