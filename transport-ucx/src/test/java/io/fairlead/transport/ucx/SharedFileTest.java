package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory of another process is found by its key, and what is not that memory is not mapped. */
@Timeout(60)
final class SharedFileTest {
    private static final int SIZE = 4096;

    @Test
    void shouldMapWhatTheKeyNames() throws IOException {
        try (SharedFile mine = SharedFile.create(SIZE, Arena.ofConfined())) {
            mine.memory().set(ValueLayout.JAVA_LONG, SIZE - 8, 77);
            SharedFile theirs = SharedFile.open(mine.key(), SIZE);
            assertNotNull(theirs);
            assertEquals(SIZE, theirs.memory().byteSize());
            assertEquals(77, theirs.memory().get(ValueLayout.JAVA_LONG, SIZE - 8));
            theirs.close();
            assertNull(SharedFile.open(mine.key(), SIZE * 2), "another size");
        }
    }

    @Test
    void shouldNotMapWhatIsGone() throws IOException {
        SharedFile mine = SharedFile.create(SIZE, Arena.ofConfined());
        mine.close();
        assertNull(SharedFile.open(mine.key(), SIZE));
    }

    /** What stands behind the number of an open file may have changed between a look at its name and its opening. */
    @Test
    void shouldNotMapAFileThatSaysOfItselfThatItIsAnother() throws IOException {
        try (SharedFile genuine = SharedFile.create(SIZE, Arena.ofConfined())) {
            UUID id = UUID.randomUUID();
            Path path = Path.of("/dev/shm/fairlead-" + id);
            try (FileChannel other = FileChannel.open(
                    path,
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE)) {
                ByteBuffer genuineKey = ByteBuffer.wrap(genuine.key());
                assertNotNull(SharedFile.open(genuine.key(), SIZE));
                long length = Files.size(Path.of("/proc/self/fd/" + genuineKey.getInt(Long.BYTES)));
                assertEquals(length, other.write(ByteBuffer.allocate((int) length)));
                byte[] key = ByteBuffer.allocate(genuine.key().length)
                        .putLong(ProcessHandle.current().pid())
                        .putInt(descriptor(path))
                        .putLong(id.getMostSignificantBits())
                        .putLong(id.getLeastSignificantBits())
                        .array();
                assertNull(SharedFile.open(key, SIZE));
            }
        }
    }

    private static int descriptor(Path path) throws IOException {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path link : open) {
                if (Files.isSymbolicLink(link)
                        && Files.readSymbolicLink(link).toString().startsWith(path.toString())) {
                    return Integer.parseInt(link.getFileName().toString());
                }
            }
        }
        throw new AssertionError("no descriptor of " + path);
    }
}
