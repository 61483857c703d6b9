package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory is mapped by its descriptor; what may not be written cannot be, and what is no such memory is not mapped. */
@Timeout(60)
final class MemoryFileTest {
    private static final int SIZE = 4096;
    private static final int SEALING = 0x2;
    private static final int HUGE_PAGES = 0x4 | 21 << 26;
    private static final int HUGE_PAGE = 1 << 21;

    @Test
    void shouldMapWhatTheDescriptorNames() throws IOException {
        try (MemoryFile mine = MemoryFile.create(SIZE, Arena.ofConfined())) {
            mine.memory().set(ValueLayout.JAVA_LONG, SIZE - 8, 77);
            try (MemoryFile theirs = MemoryFile.open(mine.descriptor(), SIZE)) {
                assertEquals(SIZE, theirs.memory().byteSize());
                assertEquals(77, theirs.memory().get(ValueLayout.JAVA_LONG, SIZE - 8));
                assertTrue(theirs.isWritable());
                theirs.memory().set(ValueLayout.JAVA_LONG, 0, 78);
                assertEquals(78, mine.memory().get(ValueLayout.JAVA_LONG, 0));
            }
            IOException refused = assertThrows(IOException.class, () -> MemoryFile.open(mine.descriptor(), SIZE * 2));
            assertTrue(refused.getMessage().contains("not sealed at its length"), refused::getMessage);
        }
    }

    /** Neither by the descriptor, nor by one that is opened anew: the kernel refuses it. */
    @Test
    void shouldNeverBeWrittenByOthersIfItIsForReaders() throws IOException {
        try (MemoryFile mine = MemoryFile.createForReaders(SIZE, Arena.ofConfined())) {
            mine.memory().set(ValueLayout.JAVA_LONG, 0, 77);
            assertThrows(IOException.class, () -> MemoryFile.mapOther(mine.descriptor(), SIZE));
            try (MemoryFile theirs = MemoryFile.open(mine.descriptor(), SIZE)) {
                assertFalse(theirs.isWritable());
                mine.memory().set(ValueLayout.JAVA_LONG, 0, 78);
                assertEquals(78, theirs.memory().get(ValueLayout.JAVA_LONG, 0));
            }
            try (RandomAccessFile again = new RandomAccessFile(path(mine), "rw")) {
                assertThrows(IOException.class, () -> again.write(1));
                assertEquals(78, again.read());
            }
            assertEquals(-Libc.NO_PERMISSION, Libc.seal(mine.descriptor(), Libc.SEALED_LENGTH), "its seals are final");
        }
    }

    @Test
    void shouldKeepItsLengthForGood() throws IOException {
        try (MemoryFile mine = MemoryFile.create(SIZE, Arena.ofConfined());
                RandomAccessFile file = new RandomAccessFile(path(mine), "rw")) {
            assertThrows(IOException.class, () -> file.setLength(0));
            assertThrows(IOException.class, () -> file.setLength(10 * SIZE));
            assertEquals(0, mine.memory().get(ValueLayout.JAVA_LONG, SIZE - 8));
        }
    }

    /** A missing page would end the process that accesses it, at the latest when memory is short. */
    @Test
    void shouldNotMapWhatHasNotAllOfItsPages() throws IOException {
        int sparse = Libc.createMemoryFile("sparse");
        try {
            setLength(sparse, 2 * HUGE_PAGE);
            long half = reserve(sparse, HUGE_PAGE);
            assertTrue(half < 2 * HUGE_PAGE, () -> "reserved " + half);
            assertEquals(0, Libc.seal(sparse, Libc.SEALED_LENGTH));
            IOException refused = assertThrows(IOException.class, () -> MemoryFile.mapOther(sparse, 2 * HUGE_PAGE));
            assertTrue(refused.getMessage().contains("not all of its pages: reserved=" + half), refused::getMessage);
            assertThrows(IOException.class, () -> MemoryFile.open(sparse, 2 * HUGE_PAGE));
            long _ = reserve(sparse, 2 * HUGE_PAGE);
            MemoryFile.open(sparse, 2 * HUGE_PAGE).close();
        } finally {
            Libc.close(sparse);
        }
    }

    private static long reserve(int descriptor, long length) {
        assertEquals(0, Libc.reserve(descriptor, length));
        long reserved = Libc.reserved(descriptor);
        // Pages may be larger than a file of a few kilobytes.
        assertTrue(reserved >= length, () -> "reserved " + reserved + " of " + length);
        return reserved;
    }

    /** Huge pages are of a pool, and are taken from it at the first access. */
    @Test
    void shouldNotMapHugePages() throws IOException {
        int huge = Libc.createMemoryFile("huge", SEALING | HUGE_PAGES);
        assumeTrue(huge >= 0, "this kernel has no huge pages");
        try {
            setLength(huge, HUGE_PAGE);
            assertEquals(0, Libc.seal(huge, Libc.SEALED_LENGTH));
            IOException refused = assertThrows(IOException.class, () -> MemoryFile.open(huge, HUGE_PAGE));
            assertTrue(refused.getMessage().contains("no ordinary pages"), refused::getMessage);
        } finally {
            Libc.close(huge);
        }
    }

    private static void setLength(int descriptor, long length) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile("/proc/self/fd/" + descriptor, "rw")) {
            file.setLength(length);
        }
    }

    @Test
    void shouldStayWithoutItsDescriptor() throws IOException {
        try (MemoryFile mine = MemoryFile.create(SIZE, Arena.ofConfined())) {
            mine.closeDescriptor();
            mine.closeDescriptor();
            assertEquals(-1, mine.descriptor());
            mine.memory().set(ValueLayout.JAVA_LONG, 0, 77);
            assertThrows(IOException.class, () -> MemoryFile.open(mine.descriptor(), SIZE));
        }
    }

    /** The kernel would make room by ending processes. */
    @Test
    void shouldRefuseMoreMemoryThanThereIs() {
        IOException refused = assertThrows(IOException.class, () -> MemoryFile.create(1L << 44, Arena.ofConfined()));
        assertTrue(refused.getMessage().startsWith("too little memory: needed=17592186044416"), refused::getMessage);
        assertThrows(IOException.class, () -> MemoryFile.create(Long.MAX_VALUE, Arena.ofConfined()));
    }

    private static String path(MemoryFile file) {
        return "/proc/self/fd/" + file.descriptor();
    }
}
