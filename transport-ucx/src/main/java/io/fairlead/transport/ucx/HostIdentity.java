package io.fairlead.transport.ucx;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What two processes must have in common to share memory through UCX: the kernel's boot, the pid and ipc namespaces (segments are opened
 * through {@code /proc/PID/fd}), and the user.
 */
final class HostIdentity {
    /** In the order of the text. */
    private static final List<String> PARTS = List.of("hosts", "pid namespaces", "ipc namespaces", "users");

    private static final int PART_MAX = 40;
    private static final String TEXT = read();

    private HostIdentity() {}

    static byte[] bytes() {
        return TEXT.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * In what a connector's identity differs from this one, a listener's.
     *
     * @param connector untrusted bytes
     * @return in words that both sides can read
     */
    static String difference(byte[] connector) {
        return difference(TEXT, new String(connector, StandardCharsets.UTF_8));
    }

    static String difference(String listener, String connector) {
        String[] here = listener.split(" ", -1);
        // It goes into logs, where a line of a peer's must stay one and short.
        String[] there = connector.replaceAll("\\p{Cntrl}", "?").split(" ", -1);
        if (there.length != PARTS.size() || here.length != PARTS.size() || !there[0].equals(here[0])) {
            return "they run on different hosts";
        }
        List<String> differences = new ArrayList<>();
        for (int i = 1; i < here.length; i++) {
            if (!here[i].equals(there[i])) {
                differences.add(PARTS.get(i) + " (listener=" + here[i] + ", connector="
                        + there[i].substring(0, Math.min(there[i].length(), PART_MAX)) + ")");
            }
        }
        return "they have different " + String.join(" and different ", differences);
    }

    private static String read() {
        return line("/proc/sys/kernel/random/boot_id")
                + ' '
                + link("/proc/self/ns/pid")
                + ' '
                + link("/proc/self/ns/ipc")
                + ' '
                + owner();
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
