package io.fairlead.system.network;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Two hosts at the ends of a wire: network namespaces of Linux. One of them can drop, reset or double packets, and the wire, which is a thread of this process,
 * can hold them back: not every kernel has {@code netem} for that. Needs root, {@code ip}, {@code nft} and {@code /dev/net/tun}.
 */
final class Wire implements AutoCloseable {
    static final String NEAR_ADDRESS = "10.232.0.1";
    static final String FAR_ADDRESS = "10.232.0.2";
    private static final String TABLE = "faults";
    private static final long DEADLINE_S = 30;

    private final Path nft;
    private final FrameForwarder frames;
    private final String near = "fairlead-near-" + ProcessHandle.current().pid();
    private final String far = "fairlead-far-" + ProcessHandle.current().pid();
    private final List<String> hosts = new ArrayList<>();

    private Wire(Path nft, FrameForwarder frames) {
        this.nft = nft;
        this.frames = frames;
    }

    /** Sets both hosts up, or skips the test. */
    static Wire open() throws IOException {
        String nearDevice = "flnear" + ProcessHandle.current().pid();
        String farDevice = "flfar" + ProcessHandle.current().pid();
        Wire wire = new Wire(findNft(), new FrameForwarder(makeDevices(nearDevice, farDevice)));
        try {
            wire.setUp(wire.near, nearDevice, NEAR_ADDRESS);
            wire.setUp(wire.far, farDevice, FAR_ADDRESS);
            return wire;
        } catch (IOException | RuntimeException | Error failure) {
            wire.close();
            throw failure;
        }
    }

    private static Path findNft() {
        Path unpacked = RepositoryRoot.path().resolve("target/tools/nft/usr/sbin");
        return Stream.of(Path.of("/usr/sbin"), Path.of("/sbin"), Path.of("/usr/bin"), unpacked)
                .map(folder -> folder.resolve("nft"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseGet(
                        () -> abort("no nft in /usr/sbin or " + unpacked + "; ./fairlead test fetches it on Debian"));
    }

    private static TapPair makeDevices(String nearDevice, String farDevice) {
        try {
            return TapPair.open(nearDevice, farDevice);
        } catch (IOException refused) {
            return abort("no device can be made here: " + refused.getMessage());
        }
    }

    private void setUp(String host, String device, String address) throws IOException {
        String refused = tryRun(List.of("ip", "netns", "add", host));
        assumeTrue(refused.isEmpty(), () -> "no other network can be made here: " + refused);
        hosts.add(host);
        run("ip", "link", "set", device, "netns", host, "name", "wire");
        run("ip", "-n", host, "addr", "add", address + "/24", "dev", "wire");
        run("ip", "-n", host, "link", "set", "wire", "up");
        run("ip", "-n", host, "link", "set", "lo", "up");
    }

    /** What runs a program on the near host. */
    List<String> onNear() {
        return List.of("ip", "netns", "exec", near);
    }

    /** What runs a program on the far host. */
    List<String> onFar() {
        return List.of("ip", "netns", "exec", far);
    }

    /**
     * Has the near host do something with packets, until healed.
     *
     * @param hook {@code input} for those that arrive, {@code output} for those that leave
     * @param rule which, and what, as nftables has it
     */
    void disturb(String hook, String rule) throws IOException {
        nft("add table inet " + TABLE);
        nft("add chain inet " + TABLE + " " + hook + " { type filter hook " + hook + " priority 0 ; }");
        nft("add rule inet " + TABLE + " " + hook + " " + rule);
    }

    /** Doubles the packets that leave the near host, until healed. */
    void doublePackets() throws IOException {
        nft("add table netdev " + TABLE);
        nft("add chain netdev " + TABLE + " doubled { type filter hook egress device wire priority 0 ; }");
        nft("add rule netdev " + TABLE + " doubled meta mark != 7 meta mark set 7 dup to wire");
    }

    /** Changes how the wire forwards packets. */
    void forward(FrameForwarder.Mode mode) {
        frames.forward(mode);
    }

    /** Packets so far that the wire was to deliver later. */
    long delayed() {
        return frames.delayed();
    }

    /** Packets so far that the wire delivered after later ones. */
    long overtaken() {
        return frames.overtaken();
    }

    /** Ends what was begun in a family of tables, {@code inet} or {@code netdev}. */
    void heal(String family) throws IOException {
        nft("delete table " + family + " " + TABLE);
    }

    void removeNearAddress() throws IOException {
        run("ip", "-n", near, "addr", "del", NEAR_ADDRESS + "/24", "dev", "wire");
    }

    void addNearAddress() throws IOException {
        run("ip", "-n", near, "addr", "add", NEAR_ADDRESS + "/24", "dev", "wire");
    }

    /** Lets programs of the near host connect from so many ports. */
    void limitPorts(int ports) throws IOException {
        nearly("sysctl", "-qw", "net.ipv4.ip_local_port_range=40000 " + (40000 + ports - 1));
    }

    private void nft(String command) throws IOException {
        nearly(nft.toString(), command);
    }

    private void nearly(String... command) throws IOException {
        List<String> all = new ArrayList<>(onNear());
        all.addAll(List.of(command));
        run(all.toArray(String[]::new));
    }

    private static void run(String... command) throws IOException {
        String said = tryRun(List.of(command));
        if (!said.isEmpty()) {
            throw new IOException(String.join(" ", command) + " failed: " + said);
        }
    }

    /** Empty if it went well. */
    private static String tryRun(List<String> command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            Path libraries = RepositoryRoot.path().resolve("target/tools/nft/usr/lib/x86_64-linux-gnu");
            builder.environment().put("LD_LIBRARY_PATH", libraries.toString());
            Process process = builder.start();
            if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return "it did not end within " + DEADLINE_S + " s";
            }
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.exitValue() == 0 ? "" : "status " + process.exitValue() + " " + said;
        } catch (IOException failure) {
            return String.valueOf(failure.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    @Override
    public void close() throws IOException {
        try {
            frames.close();
        } finally {
            removeHosts();
        }
    }

    private void removeHosts() throws IOException {
        List<String> refused = hosts.stream()
                .map(host -> tryRun(List.of("ip", "netns", "del", host)))
                .filter(said -> !said.isEmpty())
                .toList();
        if (!refused.isEmpty()) {
            throw new IOException("the hosts cannot be taken down: " + refused);
        }
    }
}
