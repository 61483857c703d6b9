package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A network namespace at the end of a wire, which can vanish as a host does that loses its power: without a word. Needs root and Linux' {@code ip}; cases
 * are skipped where there is none.
 */
final class OtherHost implements AutoCloseable {
    private static final long DEADLINE_S = 60;
    /** Networks of four addresses in 10.231.0.0/16. */
    private static final int NETWORKS = 1 << 14;

    private final String name;
    private final String near;
    private final String far;
    private final String prefix;
    /** The last part of the network's own address. */
    private final int first;

    private OtherHost() {
        long pid = ProcessHandle.current().pid();
        int network = (int) (pid % NETWORKS) * 4;
        this.name = "fairlead-" + pid;
        this.near = "fl" + pid + "a";
        this.far = "fl" + pid + "b";
        this.prefix = "10.231." + (network >> 8) + ".";
        this.first = network & 0xFF;
    }

    /** Sets the host up, or skips the case. */
    static OtherHost open() throws IOException {
        OtherHost host = new OtherHost();
        String refused = tryRun("ip", "netns", "add", host.name);
        assumeTrue(refused.isEmpty(), () -> "no other network can be made here: " + refused);
        try {
            host.ip("link", "add", host.near, "type", "veth", "peer", "name", host.far, "netns", host.name);
            host.ip("addr", "add", host.prefix + (host.first + 1) + "/30", "dev", host.near);
            host.ip("link", "set", host.near, "up");
            host.inside("addr", "add", host.farAddress(), "dev", host.far);
            host.inside("link", "set", host.far, "up");
            host.inside("link", "set", "lo", "up");
            return host;
        } catch (IOException | RuntimeException | Error failure) {
            host.close();
            throw failure;
        }
    }

    /** This host's address on the wire. */
    InetAddress address() throws IOException {
        return InetAddress.getByName(prefix + (first + 1));
    }

    /** What runs a program on the other host. */
    List<String> command() {
        return List.of("ip", "netns", "exec", name);
    }

    /** From now on it takes nothing and says nothing, as if it were not there. */
    void vanish() throws IOException {
        inside("addr", "del", farAddress(), "dev", far);
    }

    /** Its end of the wire is pulled out. */
    void unplug() throws IOException {
        inside("link", "set", far, "down");
    }

    private String farAddress() {
        return prefix + (first + 2) + "/30";
    }

    private void inside(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("-n", name));
        all.addAll(List.of(arguments));
        ip(all.toArray(String[]::new));
    }

    private void ip(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        String said = tryRun(command.toArray(String[]::new));
        if (!said.isEmpty()) {
            throw new IOException(String.join(" ", command) + " failed: " + said);
        }
    }

    /** Empty if it went well. */
    private static String tryRun(String... command) {
        try {
            Path output = Files.createTempFile("fairlead-ip", ".txt");
            try {
                Process process = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
                if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    return "it did not end within " + DEADLINE_S + " s";
                }
                String said = Files.readString(output, StandardCharsets.UTF_8).strip();
                return process.exitValue() == 0 ? "" : "status " + process.exitValue() + " " + said;
            } finally {
                Files.delete(output);
            }
        } catch (IOException failure) {
            return String.valueOf(failure.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    @Override
    public void close() throws IOException {
        // The wire first: a process that still lives would keep the other end.
        String wire = tryRun("ip", "link", "del", near);
        String host = tryRun("ip", "netns", "del", name);
        if (!host.isEmpty()) {
            throw new IOException("the other host cannot be taken down: " + host + " " + wire);
        }
    }
}
