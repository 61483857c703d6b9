package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory of another process is found by its key, and what is not that memory is not mapped. */
@Timeout(60)
final class MemoryFileTest {
    private static final int SIZE = 4096;

    @Test
    void shouldMapWhatTheKeyNames() throws IOException {
        try (MemoryFile mine = MemoryFile.create(SIZE, Arena.ofConfined())) {
            mine.memory().set(ValueLayout.JAVA_LONG, SIZE - 8, 77);
            try (MemoryFile theirs = MemoryFile.open(mine.key(), SIZE)) {
                assertEquals(SIZE, theirs.memory().byteSize());
                assertEquals(77, theirs.memory().get(ValueLayout.JAVA_LONG, SIZE - 8));
            }
            assertRefused(mine.key(), SIZE * 2, "is not sealed at a length of");
        }
    }

    @Test
    void shouldKeepItsLengthForGood() throws IOException {
        try (MemoryFile mine = MemoryFile.create(SIZE, Arena.ofConfined());
                RandomAccessFile file = new RandomAccessFile(path(mine.key()), "rw")) {
            assertThrows(IOException.class, () -> file.setLength(0));
            assertThrows(IOException.class, () -> file.setLength(10 * SIZE));
            assertEquals(0, mine.memory().get(ValueLayout.JAVA_LONG, SIZE - 8));
        }
    }

    @Test
    void shouldNotMapWhatIsGone() throws IOException {
        MemoryFile mine = MemoryFile.create(SIZE, Arena.ofConfined());
        mine.close();
        assertThrows(IOException.class, () -> MemoryFile.open(mine.key(), SIZE));
        try (MemoryFile _ = MemoryFile.create(SIZE, Arena.ofConfined())) {
            // The number of its descriptor is used again, by another file.
            assertThrows(IOException.class, () -> MemoryFile.open(mine.key(), SIZE));
        }
    }

    /** What stands behind the number of an open file may have changed between a look at its name and its opening. */
    @Test
    void shouldNotMapAFileThatSaysOfItselfThatItIsAnother() throws IOException {
        try (MemoryFile mine = MemoryFile.create(SIZE, Arena.ofConfined());
                RandomAccessFile file = new RandomAccessFile(path(mine.key()), "rw")) {
            file.seek(SIZE);
            file.writeLong(1);
            assertRefused(mine.key(), SIZE, "became another file");
        }
    }

    @Test
    void shouldRefuseKeysThatNameNoMemory() throws IOException {
        try (MemoryFile mine = MemoryFile.create(SIZE, Arena.ofConfined())) {
            byte[] other = mine.key().clone();
            other[other.length - 1] ^= 1;
            assertRefused(other, SIZE, "is not the file that the key names");
            assertRefused(Arrays.copyOf(mine.key(), 20), SIZE, "cut short");
            byte[] closed =
                    ByteBuffer.wrap(mine.key().clone()).putInt(8, 1 << 20).array();
            assertRefused(closed, SIZE, "is not the file that the key names");
            byte[] input = ByteBuffer.wrap(mine.key().clone()).putInt(8, 0).array();
            assertThrows(IOException.class, () -> MemoryFile.open(input, SIZE));
            byte[] nobody = ByteBuffer.wrap(mine.key().clone()).putLong(0, -1).array();
            assertThrows(IOException.class, () -> MemoryFile.open(nobody, SIZE));
        }
    }

    /** What a peer reads must not tell it what else this process has open. */
    @Test
    void shouldNotTellWhatStandsBehindAMadeUpKey() throws IOException {
        try (MemoryFile mine = MemoryFile.create(SIZE, Arena.ofConfined());
                RandomAccessFile other = new RandomAccessFile("/proc/self/status", "r")) {
            for (int descriptor = 0; descriptor < 64; descriptor++) {
                byte[] key = ByteBuffer.wrap(mine.key().clone())
                        .putInt(8, descriptor)
                        .array();
                if (!Arrays.equals(key, mine.key())) {
                    IOException refused = assertThrows(IOException.class, () -> MemoryFile.open(key, SIZE));
                    assertEquals(
                            "/proc/" + ProcessHandle.current().pid() + "/fd/" + descriptor
                                    + " is not the file that the key names",
                            refused.getMessage());
                }
            }
            assertTrue(other.getFD().valid());
        }
    }

    @Test
    void shouldNotMapAFileOfAnotherUser() throws IOException {
        try (MemoryFile mine = MemoryFile.create(SIZE, Arena.ofConfined())) {
            Path file = Path.of(path(mine.key()));
            int user = (int) Files.getAttribute(file, "unix:uid");
            assertEquals(Libc.user(), user);
            try {
                Files.setAttribute(file, "unix:uid", user + 1);
            } catch (IOException notRoot) {
                assumeTrue(false, "this user may give no file away");
            }
            assertRefused(mine.key(), SIZE, "is a file of another user");
        }
    }

    /** The kernel would make room by ending processes. */
    @Test
    void shouldRefuseMoreMemoryThanThereIs() {
        IOException refused = assertThrows(IOException.class, () -> MemoryFile.create(1L << 44, Arena.ofConfined()));
        assertTrue(refused.getMessage().startsWith("too little memory: needed=17592186044416"), refused::getMessage);
        assertThrows(IOException.class, () -> MemoryFile.create(Long.MAX_VALUE, Arena.ofConfined()));
    }

    private static void assertRefused(byte[] key, long size, String why) {
        IOException refused = assertThrows(IOException.class, () -> MemoryFile.open(key, size));
        assertTrue(refused.getMessage().contains(why), refused::getMessage);
    }

    private static String path(byte[] key) {
        return "/proc/self/fd/" + ByteBuffer.wrap(key).getInt(Long.BYTES);
    }
}
