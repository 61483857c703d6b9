package io.fairlead.cli.perf;

import io.fairlead.testkit.internal.TriedCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A container of a pod: it has a read-only root file system and PID, IPC, UTS and mount namespaces of its own, no {@code /dev/shm}, and no configuration
 * for that; the network namespace is that of the test. Played with {@code unshare} and {@code pivot_root}, for which one must be root.
 */
public final class Container {
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

    private Container() {}

    /**
     * What runs a command in a new container.
     *
     * @param folder for its root file system
     * @param name of the container
     */
    public static List<String> command(Path folder, String name) throws IOException {
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

    /** Whether this user may make containers. */
    public static boolean canRun(Path folder) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(command(folder, "try"));
        command.add("true");
        return TriedCommand.succeeds(command);
    }
}
