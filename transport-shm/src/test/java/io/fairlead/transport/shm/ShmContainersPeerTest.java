package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.contract.PeerProcess;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers of the lane {@code shm-containers} are where its suites say that they are. */
@Timeout(120)
final class ShmContainersPeerTest {
    private static final String USER = "fairlead.contract.peers-user";

    @Test
    void shouldHaveAnotherUserAndNamespacesOfItsOwn() throws Exception {
        String user = System.getProperty(USER, "");
        assertNotEquals(String.valueOf(Libc.user()), user);
        try (PeerProcess process = new PeerProcess(new ShmContainersUnderTest(), WhereProgram.class)) {
            String ending = process.ending();
            assertTrue(process.said("user " + Collections.nCopies(4, user)), ending);
            for (String name : WhereProgram.NAMESPACES) {
                boolean same = process.saidAfter(name + " ").orElseThrow().equals(WhereProgram.namespace(name));
                // Containers of a pod have the network in common.
                assertEquals(name.equals("net"), same, () -> name + " of a peer; " + ending);
            }
        }
    }
}
