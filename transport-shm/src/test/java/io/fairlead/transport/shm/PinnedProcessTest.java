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
final class PinnedProcessTest {
    private static final int SELF = Math.toIntExact(ProcessHandle.current().pid());
    private static final int NO_SUCH_PROCESS = 3;

    @BeforeEach
    void requireTheCalls() {
        PinnedProcess self = PinnedProcess.open(SELF);
        assumeTrue(self != null, "the kernel has no descriptors of processes, or allows none");
        self.close();
    }

    @Test
    void shouldTellWhenAProcessHasEnded() throws IOException, InterruptedException {
        Process child = new ProcessBuilder("sleep", "60").start();
        try (PinnedProcess process = open((int) child.pid())) {
            assertTrue(process.isAlive());
            child.destroyForcibly().waitFor();
            assertFalse(process.isAlive());
        }
        assertNull(PinnedProcess.open((int) child.pid()), "an ended process");
    }

    @Test
    void shouldReadAProcessThatLives() {
        assumeTrue(ProcessRead.attempt() == 0, "the kernel lets nobody read another's memory");
        try (PinnedProcess process = open(SELF)) {
            assertEquals(8, read(process));
        }
    }

    @Test
    void shouldNotTakeWhatItReadFromALaterProcessOfTheSameNumber() throws IOException, InterruptedException {
        assumeTrue(ProcessRead.attempt() == 0, "the kernel lets nobody read another's memory");
        Process child = new ProcessBuilder("sleep", "60").start();
        // The kernel does not give a number again at a test's wish: what stood for the child stands for this process.
        try (PinnedProcess process = Objects.requireNonNull(PinnedProcess.open((int) child.pid(), SELF))) {
            assertEquals(8, read(process));
            child.destroyForcibly().waitFor();
            assertEquals(-NO_SUCH_PROCESS, read(process));
        }
    }

    @Test
    void shouldNotFindAProcessReadableThatHasEndedSinceItWasPinned() throws IOException, InterruptedException {
        assumeTrue(ProcessRead.attempt() == 0, "the kernel lets nobody read another's memory");
        Process child = new ProcessBuilder("sleep", "60").start();
        try (Arena arena = Arena.ofConfined();
                PinnedProcess process = Objects.requireNonNull(PinnedProcess.open((int) child.pid(), SELF))) {
            MemorySegment word = arena.allocate(ValueLayout.JAVA_LONG);
            word.set(ValueLayout.JAVA_LONG, 0, 7);
            assertEquals(0, ReachProbe.read(process, word.address(), 7));
            child.destroyForcibly().waitFor();
            assertEquals(NO_SUCH_PROCESS, ReachProbe.read(process, word.address(), 7));
        }
    }

    private static PinnedProcess open(int number) {
        return Objects.requireNonNull(PinnedProcess.open(number));
    }

    private static long read(PinnedProcess process) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(ValueLayout.JAVA_LONG, 2);
            return new ProcessRead(arena).read(process, from.address(), from, 8, 8);
        }
    }
}
