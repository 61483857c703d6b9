package io.fairlead.transport.ucx;

import io.fairlead.spi.host.HostSecret;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Memory that another process of this user on this host can map too: a file in memory that has lost its name at once, so that it goes
 * with its users, however they end. The other process finds it among the open files of its owner.
 *
 * <p>UCX could share memory too, but where a segment is gone, {@code ucp_ep_rkey_unpack} frees what it has never set, and ends the process
 * (1.13 to 1.18); whether it is there cannot be known for long.
 */
final class SharedFile implements AutoCloseable {
    private static final Path FOLDER = Path.of("/dev/shm");
    private static final String PREFIX = "fairlead-";
    /** What the kernel adds to the name of an open file that has none any more. */
    private static final String NAMELESS = " (deleted)";

    /** Behind the memory, where the file tells which it is: a number of an open file may stand for another one by the time it is opened. */
    private static final int ID_LENGTH = 2 * Long.BYTES;

    private static final int ZEROES = 64 << 10;
    private static final int KEY_LENGTH = Long.BYTES + Integer.BYTES + 2 * Long.BYTES;

    private final Arena arena;
    private final MemorySegment memory;
    /** Kept by the owner, for others to find. */
    private final @Nullable FileChannel channel;

    /** Without its signature. */
    private final byte[] key;

    private SharedFile(Arena arena, MemorySegment memory, @Nullable FileChannel channel, byte[] key) {
        this.arena = arena;
        this.memory = memory;
        this.channel = channel;
        this.key = key;
    }

    /**
     * Makes memory that is all zeroes.
     *
     * @param arena whose threads may use it; closed with it
     * @throws IOException no room, or no such folder
     */
    static SharedFile create(long size, Arena arena) throws IOException {
        UUID id = UUID.randomUUID();
        Path path = path(id);
        FileChannel channel = FileChannel.open(
                path,
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        // On Linux the name goes as soon as the file is open.
                        StandardOpenOption.DELETE_ON_CLOSE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            fill(channel, Math.addExact(size, ID_LENGTH));
            channel.write(idBytes(id), size);
            byte[] key = ByteBuffer.allocate(KEY_LENGTH)
                    .putLong(ProcessHandle.current().pid())
                    .putInt(descriptor(path))
                    .putLong(id.getMostSignificantBits())
                    .putLong(id.getLeastSignificantBits())
                    .array();
            return new SharedFile(arena, channel.map(MapMode.READ_WRITE, 0, size, arena), channel, key);
        } catch (IOException | RuntimeException failure) {
            arena.close();
            channel.close();
            throw failure;
        }
    }

    private static ByteBuffer idBytes(UUID id) {
        return ByteBuffer.allocate(ID_LENGTH)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .flip();
    }

    /** A page that there is no room for when it is first touched would end the process. */
    private static void fill(FileChannel channel, long size) throws IOException {
        ByteBuffer zeroes = ByteBuffer.allocateDirect((int) Math.min(size, ZEROES));
        for (long left = size; left > 0; ) {
            left -= channel.write(zeroes.clear().limit((int) Math.min(left, zeroes.capacity())));
        }
    }

    private static Path path(UUID id) {
        return FOLDER.resolve(PREFIX + id);
    }

    private static int descriptor(Path path) throws IOException {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path link : open) {
                if (isTo(link, path)) {
                    return Integer.parseInt(link.getFileName().toString());
                }
            }
        }
        throw new IOException("no descriptor of " + path + " in /proc/self/fd");
    }

    private static boolean isTo(Path link, Path path) {
        try {
            return Files.readSymbolicLink(link).toString().equals(path + NAMELESS);
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    /** Whether a process of this user on this host has made a key. */
    static boolean genuine(byte[] key) {
        return key.length == KEY_LENGTH + HostSecret.LENGTH && HostSecret.here().signed(key);
    }

    /** The number of the process that has made what a genuine key is for. */
    static int process(byte[] key) {
        return (int) ByteBuffer.wrap(key).getLong();
    }

    /** Maps a process's memory, for the calling thread; null if it has let go of it, or has ended. */
    static @Nullable SharedFile open(byte[] key, long size) {
        Arena arena = Arena.ofConfined();
        try {
            ByteBuffer in = ByteBuffer.wrap(key);
            Path link = Path.of("/proc/" + in.getLong() + "/fd/" + in.getInt());
            UUID id = new UUID(in.getLong(), in.getLong());
            if (isTo(link, path(id))) {
                try (FileChannel channel = FileChannel.open(link, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    if (channel.size() == size + ID_LENGTH && isIn(channel, size, id)) {
                        return new SharedFile(arena, channel.map(MapMode.READ_WRITE, 0, size, arena), null, key);
                    }
                }
            }
        } catch (IOException | BufferUnderflowException gone) {
            // There are other ways.
        }
        arena.close();
        return null;
    }

    /** Whether a file says of itself that it is of that id. */
    private static boolean isIn(FileChannel channel, long at, UUID id) throws IOException {
        ByteBuffer said = ByteBuffer.allocate(ID_LENGTH);
        while (said.hasRemaining()) {
            if (channel.read(said, at + said.position()) < 0) {
                return false;
            }
        }
        return said.flip().equals(idBytes(id));
    }

    MemorySegment memory() {
        return memory;
    }

    /** Where it is in this process. */
    long address() {
        return memory.address();
    }

    /** By which others {@link #open} it; signed anew each time, because the secret may have changed. */
    byte[] key() {
        return HostSecret.here().withSignature(key);
    }

    @Override
    public void close() {
        arena.close();
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException closed) {
                // It is gone all the same.
            }
        }
    }
}
