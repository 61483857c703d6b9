package io.fairlead.transport.ucx;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What two processes must have in common to share memory through UCX: the kernel's boot, the pid and ipc namespaces (segments are opened
 * through {@code /proc/PID/fd}), and the user.
 */
final class HostIdentity {
    private static final String TEXT = read();

    private HostIdentity() {}

    static byte[] bytes() {
        return TEXT.getBytes(StandardCharsets.UTF_8);
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
