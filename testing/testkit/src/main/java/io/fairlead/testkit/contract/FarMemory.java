package io.fairlead.testkit.contract;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Memory that two processes name to each other. Buffers of a case are in a file that both have mapped. A region of the server is in a file that the case
 * maps by way of {@code /proc}. Other memory of the server, such as a message in a handler, is copied.
 */
final class FarMemory {
    /** A file with holes. The longest message of the suites is longer than 2 GiB, and has two buffers. */
    private static final long CAPACITY = 8L << 30;

    private static final long ALIGNMENT = 64;

    private final Path file;
    /** The process with the regions; none in that process. */
    private final long serverPid;

    private final MemorySegment buffers;
    private Arena regions = Arena.ofShared();
    private long used;

    /** What stands for a segment between the processes. */
    sealed interface Place extends Serializable {
        boolean readOnly();
    }

    private record InBuffers(long offset, long length, boolean readOnly) implements Place {}

    private record InRegion(long address, long length, boolean readOnly) implements Place {}

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Copied(byte[] bytes, boolean readOnly) implements Place {}

    /** Maps a {@linkplain #newFile file}. */
    FarMemory(Path file, long serverPid) {
        this.file = file;
        this.serverPid = serverPid;
        try {
            buffers = map(file, 0, CAPACITY, Arena.global());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A file for any user. It is not in /dev/shm, where other tests look for what is left behind. */
    static Path newFile() throws IOException {
        Path file = Files.createTempFile("fairlead-contract", ".buffers");
        file.toFile().deleteOnExit();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        resize(file, CAPACITY);
        return file;
    }

    private static void resize(Path file, long length) throws IOException {
        try (RandomAccessFile sized = new RandomAccessFile(file.toFile(), "rw")) {
            sized.setLength(length);
        }
    }

    /** Zeroes, as an arena has them. */
    MemorySegment allocate(long length) {
        MemorySegment allocated = buffers.asSlice(used, length);
        used += (length + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
        return allocated;
    }

    /** Gives everything back that a case has had. */
    void reset() throws IOException {
        resize(file, 0);
        resize(file, CAPACITY);
        used = 0;
        regions.close();
        regions = Arena.ofShared();
    }

    Place place(MemorySegment segment, boolean inRegion) {
        long offset = segment.address() - buffers.address();
        long length = segment.byteSize();
        if (segment.isNative() && offset >= 0 && offset + length <= CAPACITY) {
            return new InBuffers(offset, length, segment.isReadOnly());
        }
        if (serverPid > 0) {
            throw new UnsupportedOperationException("the server's process does not see this memory: " + segment);
        }
        return inRegion
                ? new InRegion(segment.address(), length, segment.isReadOnly())
                : new Copied(segment.toArray(ValueLayout.JAVA_BYTE), segment.isReadOnly());
    }

    MemorySegment segment(Place place) throws IOException {
        MemorySegment segment = switch (place) {
            case InBuffers in -> buffers.asSlice(in.offset, in.length);
            case InRegion in -> in.length == 0 ? MemorySegment.NULL : mapped(in.address, in.length);
            case Copied copied -> aligned(copied.bytes);
        };
        return place.readOnly() ? segment.asReadOnly() : segment;
    }

    private static MemorySegment aligned(byte[] bytes) {
        return Arena.ofAuto()
                .allocate(Math.max(bytes.length, 1), Long.BYTES)
                .asSlice(0, bytes.length)
                .copyFrom(MemorySegment.ofArray(bytes));
    }

    private MemorySegment mapped(long address, long length) throws IOException {
        Path process = Path.of("/proc", Long.toString(serverPid));
        for (String line : Files.readAllLines(process.resolve("maps"))) {
            String[] words = line.split(" +", 4);
            String range = words[0];
            long from = Long.parseUnsignedLong(range.substring(0, range.indexOf('-')), 16);
            long to = Long.parseUnsignedLong(range.substring(range.indexOf('-') + 1), 16);
            if (Long.compareUnsigned(from, address) <= 0 && Long.compareUnsigned(address + length, to) <= 0) {
                long offset = Long.parseUnsignedLong(words[2], 16) + address - from;
                return map(process.resolve("map_files").resolve(range), offset, length, regions);
            }
        }
        throw new IOException("the server's process has no memory there: address=" + address + ", length=" + length);
    }

    private static MemorySegment map(Path mapped, long offset, long length, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(mapped, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(MapMode.READ_WRITE, offset, length, arena);
        }
    }
}
