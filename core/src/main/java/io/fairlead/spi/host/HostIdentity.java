package io.fairlead.spi.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What two processes must have in common to share memory through files of the kernel's: its boot, some namespaces, and the user. Immutable.
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
     * This process.
     *
     * @param namespaces which of the kernel's namespaces matter: {@code pid}, {@code ipc} and others of {@code /proc/self/ns}
     * @return its identity, which does not change while it lives
     */
    public static HostIdentity here(String... namespaces) {
        StringBuilder text = new StringBuilder(line("/proc/sys/kernel/random/boot_id"));
        for (String namespace : namespaces) {
            text.append(' ').append(link("/proc/self/ns/" + namespace));
        }
        return new HostIdentity(
                List.of(namespaces), text.append(' ').append(owner()).toString());
    }

    /** An identity as its text has it. */
    static HostIdentity of(String text, String... namespaces) {
        return new HostIdentity(List.of(namespaces), text);
    }

    /**
     * What a peer compares.
     *
     * @return printable text
     */
    public byte[] bytes() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Whether a process shares all of this with this one.
     *
     * @param other its {@link #bytes()}; untrusted
     * @return false if anything differs
     */
    public boolean isSame(byte[] other) {
        return Arrays.equals(other, bytes());
    }

    /**
     * In what a connector's identity differs from this one, a listener's.
     *
     * @param connector its {@link #bytes()}; untrusted
     * @return in words that both sides can read, on one line
     */
    public String difference(byte[] connector) {
        String[] here = text.split(" ", -1);
        // It goes into logs, where a line of a peer's must stay one and short.
        String[] there = new String(connector, StandardCharsets.UTF_8)
                .replaceAll("\\p{Cntrl}", "?")
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
