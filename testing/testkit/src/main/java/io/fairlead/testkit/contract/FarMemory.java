package io.fairlead.testkit.contract;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** The buffers of a case whose server is another process: a file that both have mapped. The child's regions are mapped by way of its process. */
final class FarMemory {
    /** A file with holes. The longest message of the suites is longer than 2 GiB, and has two buffers. */
    private static final long CAPACITY = 8L << 30;

    private static final long ALIGNMENT = 64;

    private final Path file;
    private final boolean childs;
    private final long childPid;
    private final MemorySegment all;
    private Arena mappings = Arena.ofShared();
    private long used;

    private FarMemory(Path file, boolean childs, long childPid) {
        this.file = file;
        this.childs = childs;
        this.childPid = childPid;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            all = channel.map(MapMode.READ_WRITE, 0, CAPACITY, Arena.global());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A new file for any user. It is not in /dev/shm, where other tests look for what is left behind. */
    static Path newFile() throws IOException {
        Path file = Files.createTempFile("fairlead-contract", ".buffers");
        file.toFile().deleteOnExit();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        try (RandomAccessFile sized = new RandomAccessFile(file.toFile(), "rw")) {
            sized.setLength(CAPACITY);
        }
        return file;
    }

    static FarMemory ofCase(Path file, long childPid) {
        return new FarMemory(file, false, childPid);
    }

    static FarMemory ofChild(Path file) {
        return new FarMemory(file, true, 0);
    }

    boolean isTheChilds() {
        return childs;
    }

    /** Zeroes, as an arena has them. */
    MemorySegment allocate(long length) {
        MemorySegment allocated = all.asSlice(used, length);
        used += (length + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
        return allocated;
    }

    /** Gives everything back that a case has had. */
    void reset() throws IOException {
        try (RandomAccessFile sized = new RandomAccessFile(file.toFile(), "rw")) {
            sized.setLength(0);
            sized.setLength(CAPACITY);
        }
        used = 0;
        mappings.close();
        mappings = Arena.ofShared();
    }

    /** Where a segment is in the file; negative if it is not. */
    long offset(MemorySegment segment) {
        long offset = segment.address() - all.address();
        return segment.isNative() && offset >= 0 && offset + segment.byteSize() <= CAPACITY ? offset : -1;
    }

    MemorySegment segment(long offset, long length) {
        return all.asSlice(offset, length);
    }

    /** Maps what the child has at an address. */
    MemorySegment map(long address, long length) throws IOException {
        if (length == 0) {
            return MemorySegment.NULL;
        }
        List<String> lines = Files.readAllLines(Path.of("/proc", "" + childPid, "maps"));
        for (String line : lines) {
            String range = line.substring(0, line.indexOf(' '));
            long from = Long.parseUnsignedLong(range.substring(0, range.indexOf('-')), 16);
            long to = Long.parseUnsignedLong(range.substring(range.indexOf('-') + 1), 16);
            if (Long.compareUnsigned(from, address) <= 0 && Long.compareUnsigned(address + length, to) <= 0) {
                long offset = Long.parseUnsignedLong(line.split(" +", -1)[2], 16) + address - from;
                return map(Path.of("/proc", "" + childPid, "map_files", range), offset, length);
            }
        }
        throw new IOException("the other process has no memory there: address=" + address + ", length=" + length);
    }

    private MemorySegment map(Path mapped, long offset, long length) throws IOException {
        try (FileChannel channel = FileChannel.open(mapped, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(MapMode.READ_WRITE, offset, length, mappings);
        }
    }
}
