package io.fairlead.transport.shm;

import io.fairlead.testkit.contract.PeerProgram;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reports the user and the namespaces of its process, by the kernel's word. */
final class WhereProgram {
    static final List<String> NAMESPACES = List.of("pid", "ipc", "uts", "mnt", "net");

    private WhereProgram() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        out.println(PeerProgram.PREFIX + "user " + users());
        for (String name : NAMESPACES) {
            out.println(PeerProgram.PREFIX + name + " " + namespace(name));
        }
    }

    /** The real, the effective, the saved and the file system's user id of this process. */
    static List<String> users() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("Uid:")) {
                return List.of(line.substring("Uid:".length()).strip().split("\\s+", -1));
            }
        }
        throw new IOException("/proc/self/status has no line of user ids");
    }

    /** What the kernel calls a namespace of this process. */
    static String namespace(String name) throws IOException {
        return Files.readSymbolicLink(Path.of("/proc/self/ns", name)).toString();
    }
}
