package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.fairlead.testkit.contract.PeerProcess;
import io.fairlead.testkit.contract.PeerProgram;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers of the lane {@code shm-containers} have the user and the namespaces that its suites are to be run with. */
@Timeout(120)
final class ShmContainersPeerTest {
    private static final List<String> NAMESPACES = List.of("pid", "ipc", "uts", "mnt", "net");

    @Test
    void shouldHaveAnotherUserAndNamespacesOfItsOwn() throws Exception {
        String user = System.getProperty("fairlead.contract.peers-user", "");
        assumeFalse(user.isEmpty(), "peers have this user here");
        assertNotEquals(String.valueOf(Libc.user()), user);
        try (PeerProcess process = new PeerProcess(new ShmUnderTest(), Where.class)) {
            String ending = process.ending();
            assertTrue(process.said("user " + user), ending);
            for (String name : NAMESPACES) {
                boolean same = process.saidAfter(name + " ").orElseThrow().equals(Where.namespace(name));
                // Containers of a pod have the network in common.
                assertEquals(name.equals("net"), same, () -> name + " of a peer; " + ending);
            }
        }
    }

    /** Reports user and namespaces of its process, as the kernel names them. */
    static final class Where {
        private Where() {}

        public static void main(String[] arguments) throws IOException {
            PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
            out.println(PeerProgram.PREFIX + "user " + Libc.user());
            for (String name : NAMESPACES) {
                out.println(PeerProgram.PREFIX + name + " " + namespace(name));
            }
        }

        static String namespace(String name) throws IOException {
            return Files.readSymbolicLink(Path.of("/proc/self/ns", name)).toString();
        }
    }
}
