package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that has ended is not mistaken for one that has its number by then. */
@Timeout(60)
final class PeerProcessTest {
    private static final int SELF = Math.toIntExact(ProcessHandle.current().pid());
    private static final int NO_SUCH_PROCESS = 3;

    @BeforeEach
    void requireTheCalls() {
        PeerProcess self = PeerProcess.open(SELF);
        assumeTrue(self != null, "the kernel has no descriptors of processes, or allows none");
        self.close();
    }

    @Test
    void shouldTellWhenAProcessHasEnded() throws IOException, InterruptedException {
        Process child = new ProcessBuilder("sleep", "60").start();
        try (PeerProcess process = open((int) child.pid())) {
            assertTrue(process.alive());
            child.destroyForcibly().waitFor();
            assertFalse(process.alive());
        }
        assertNull(PeerProcess.open((int) child.pid()), "an ended process");
    }

    @Test
    void shouldReadAProcessThatLives() {
        assumeTrue(ProcessRead.attempt() == 0, "the kernel lets nobody read another's memory");
        try (PeerProcess process = open(SELF)) {
            assertEquals(8, read(process));
        }
    }

    @Test
    void shouldNotTakeWhatItReadFromALaterProcessOfTheSameNumber() throws IOException, InterruptedException {
        assumeTrue(ProcessRead.attempt() == 0, "the kernel lets nobody read another's memory");
        Process child = new ProcessBuilder("sleep", "60").start();
        // The kernel does not give a number again at a test's wish: what stood for the child stands for this process.
        try (PeerProcess process = Objects.requireNonNull(PeerProcess.open((int) child.pid(), SELF))) {
            assertEquals(8, read(process));
            child.destroyForcibly().waitFor();
            assertEquals(-NO_SUCH_PROCESS, read(process));
        }
    }

    private static PeerProcess open(int number) {
        return Objects.requireNonNull(PeerProcess.open(number));
    }

    private static long read(PeerProcess process) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(ValueLayout.JAVA_LONG, 2);
            return new ProcessRead(arena).read(process, from.address(), from, 8, 8);
        }
    }
}
