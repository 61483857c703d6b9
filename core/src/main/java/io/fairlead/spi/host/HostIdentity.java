package io.fairlead.spi.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The identity of this process with respect to sharing memory. Two processes can share memory through the kernel's
 * files if they have the same boot of the same kernel, the same user, and the same namespaces of certain kinds.
 * Immutable and thread-safe.
 */
public final class HostIdentity {
    private static final int PART_MAX = 40;

    private final List<String> namespaces;
    private final String text;

    private HostIdentity(List<String> namespaces, String text) {
        this.namespaces = namespaces;
        this.text = text;
    }

    /**
     * The identity of this process.
     *
     * @param namespaces the kinds of namespace that matter: {@code pid}, {@code ipc} and others of {@code /proc/self/ns}
     * @return the identity, the same while the process lives
     */
    public static HostIdentity here(String... namespaces) {
        StringBuilder text = new StringBuilder(line("/proc/sys/kernel/random/boot_id"));
        for (String namespace : namespaces) {
            text.append(' ').append(link("/proc/self/ns/" + namespace));
        }
        return new HostIdentity(
                List.of(namespaces), text.append(' ').append(owner()).toString());
    }

    /** Creates an identity from its text. */
    static HostIdentity of(String text, String... namespaces) {
        return new HostIdentity(List.of(namespaces), text);
    }

    /**
     * The identity as bytes, to be sent to a peer.
     *
     * @return printable text
     */
    public byte[] bytes() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Whether another process has the same identity.
     *
     * @param other the other process's {@link #bytes()}; untrusted
     * @return true if they are equal
     */
    public boolean isSame(byte[] other) {
        return Arrays.equals(other, bytes());
    }

    /**
     * The differences between this identity, which is the listener's, and the connector's.
     *
     * @param connector the connector's {@link #bytes()}; untrusted
     * @return one line for the logs of both sides
     */
    public String difference(byte[] connector) {
        String[] here = text.split(" ", -1);
        // The text is logged: a peer's line must stay one line and short.
        String[] there = new String(connector, StandardCharsets.UTF_8)
                .replaceAll("\\p{Cc}", "?")
                .split(" ", -1);
        int parts = namespaces.size() + 2;
        if (there.length != parts || here.length != parts || !there[0].equals(here[0])) {
            return "they run on different hosts";
        }
        List<String> differences = new ArrayList<>();
        for (int i = 1; i < parts; i++) {
            if (!here[i].equals(there[i])) {
                String part = i <= namespaces.size() ? namespaces.get(i - 1) + " namespaces" : "users";
                differences.add(part + " (listener=" + here[i] + ", connector="
                        + there[i].substring(0, Math.min(there[i].length(), PART_MAX)) + ")");
            }
        }
        return "they have different " + String.join(" and different ", differences);
    }

    private static String line(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException unreadable) {
            return "unreadable-" + ProcessHandle.current().pid();
        }
    }

    private static String link(String file) {
        try {
            return Files.readSymbolicLink(Path.of(file)).toString();
        } catch (IOException unreadable) {
            return "unreadable-" + ProcessHandle.current().pid();
        }
    }

    private static String owner() {
        try {
            return String.valueOf(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException unreadable) {
            return System.getProperty("user.name");
        }
    }
}
