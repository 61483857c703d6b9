package io.fairlead.cli.pubsub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.cli.perf.PerfProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A publisher and a subscriber in two containers of a pod: each has a read-only root file system and PID, IPC, UTS and
 * mount namespaces of its own, no {@code /dev/shm}, and no configuration for that; the network namespace is one. Played
 * with {@code unshare} and {@code pivot_root}, for which one must be root.
 */
@Timeout(180)
final class ContainersTest {
    private static final int MESSAGES = 20_000;
    /**
     * Makes a root file system with some folders of this one in it, and runs a command there. Arguments: an empty folder,
     * a file that only the old root has, the folders in one word, and the command.
     */
    private static final String CONTAINER = """
            set -e
            root=$1 marker=$2 folders=$3
            shift 3
            mount -t tmpfs tmpfs "$root"
            mkdir "$root/proc" "$root/dev" "$root/old"
            for name in null random urandom; do
                : >"$root/dev/$name"
                mount --bind "/dev/$name" "$root/dev/$name"
            done
            for folder in $folders; do
                if [ -L "$folder" ]; then
                    cp -P "$folder" "$root$folder"
                else
                    mkdir -p "$root$folder"
                    mount --bind "$folder" "$root$folder"
                    mount -o remount,bind,ro "$root$folder"
                fi
            done
            mount -t proc proc "$root/proc"
            mount -o remount,ro "$root"
            test -e "$marker"
            cd "$root"
            pivot_root . old
            umount -l old
            cd /
            test ! -e "$marker"
            test ! -w /
            exec "$@"
            """;

    @TempDir
    private Path folder;

    private List<String> container(String name) throws IOException {
        Path root = Files.createDirectory(folder.resolve(name));
        Path marker = Files.writeString(folder.resolve(name + "-marker"), "");
        return List.of(
                "unshare",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "--ipc",
                "--uts",
                "sh",
                "-c",
                CONTAINER,
                "sh",
                root.toString(),
                marker.toString(),
                String.join(" ", folders()));
    }

    /** What the JVM needs: the C library, the JDK and the class path. */
    private static TreeSet<String> folders() {
        TreeSet<String> folders = new TreeSet<>();
        for (String usual : List.of("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc")) {
            if (Files.exists(Path.of(usual))) {
                folders.add(usual);
            }
        }
        Stream.concat(Stream.of(Path.of(System.getProperty("java.home"))), PerfProcess.classPath().stream())
                // Two names are few folders, and not all of /tmp, where the marker is.
                .map(entry -> "/" + entry.subpath(0, Math.min(2, entry.getNameCount() - 1)))
                .forEach(folders::add);
        return folders;
    }

    private static boolean canRun(List<String> container) throws InterruptedException {
        List<String> command = new ArrayList<>(container);
        command.add("true");
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException notInstalled) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void shouldPublishOverSharedMemoryFromOneContainerToAnother() throws Exception {
        assumeTrue(canRun(container("try")), "this user may make no containers");
        String address = "127.0.0.1:" + freePort();
        List<String> messages =
                IntStream.range(0, MESSAGES).mapToObj(i -> "message " + i).toList();
        try (PerfProcess publisher = PerfProcess.startCommand(
                        container("publisher"), "pub", Map.of(), "rows", "-l", address, "-s", "transports=shm");
                PerfProcess subscriber = PerfProcess.startCommand(
                        container("subscriber"),
                        "sub",
                        Map.of(),
                        "rows",
                        "-C",
                        address,
                        "--wait",
                        "60",
                        "-s",
                        "transports=shm")) {
            publisher.write(messages);
            assertEquals(messages, subscriber.assertStatus(0));
            publisher.assertStatus(0);
        }
    }
}
