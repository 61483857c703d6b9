package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A System V shared-memory segment, attached to read and write. Its creator removes it from the kernel's list as soon as
 * it has attached it, so the segment exists while anybody has it attached, and ends with the last process.
 */
final class SystemVSegment implements AutoCloseable {
    private static final MethodHandle CREATE =
            call("shmget", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle ATTACH =
            call("shmat", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle DETACH = call("shmdt", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle CONTROL =
            call("shmctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));

    private static final Logger LOG = LoggerFactory.getLogger(SystemVSegment.class);

    /** A line for each segment: key, number, mode, size, creator and more. */
    private static final Path LIST = Path.of("/proc/sysvipc/shm");

    private static final int AT_NUMBER = 1;
    private static final int AT_CREATOR = 4;

    private static final int PRIVATE = 0;
    private static final int IF_ABSENT = 0x200;
    private static final int COMMAND_REMOVE = 0;
    private static final int COMMAND_SET = 1;
    private static final int COMMAND_STAT = 2;

    /** {@code struct shmid_ds} of Linux on amd64: the mode in its {@code ipc_perm}, and the size. */
    private static final long STATE_LENGTH = 112;

    private static final long AT_MODE = 20;
    private static final long AT_SIZE = 48;
    private static final int MODE_BITS = 0x1FF;
    /** Readable and writable by the user alone. */
    private static final int MODE_OF_USER = 0x180;

    private final int number;
    private final long address;
    private final long size;

    private SystemVSegment(int number, long address, long size) {
        this.number = number;
        this.address = address;
        this.size = size;
    }

    /** Creates a segment of zeroes for processes of this user; null if the kernel's limits allow none of that size. */
    static @Nullable SystemVSegment create(long size) {
        try {
            int number = (int) CREATE.invokeExact(PRIVATE, size, IF_ABSENT | MODE_OF_USER);
            if (number == -1) {
                return null;
            }
            long address = (long) ATTACH.invokeExact(number, 0L, 0);
            int _ = (int) CONTROL.invokeExact(number, COMMAND_REMOVE, MemorySegment.NULL);
            return address == -1 ? null : new SystemVSegment(number, address, size);
        } catch (Throwable impossible) {
            throw Ucp.unexpected(impossible);
        }
    }

    /** Attaches a segment; null if it is gone, or this user may not write to it. */
    static @Nullable SystemVSegment attach(int number) {
        try (Arena arena = Arena.ofConfined()) {
            long address = (long) ATTACH.invokeExact(number, 0L, 0);
            if (address == -1) {
                return null;
            }
            // While it is attached the number cannot become that of another segment.
            MemorySegment state = arena.allocate(STATE_LENGTH, Long.BYTES);
            if ((int) CONTROL.invokeExact(number, COMMAND_STAT, state) != 0) {
                detach(address);
                return null;
            }
            return new SystemVSegment(number, address, state.get(JAVA_LONG, AT_SIZE));
        } catch (Throwable impossible) {
            throw Ucp.unexpected(impossible);
        }
    }

    /**
     * Takes from all other users the rights to a segment of this user; UCX gives them to the user's group.
     *
     * @return whether the kernel has done so
     */
    static boolean restrict(int number) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE_LENGTH, Long.BYTES);
            if ((int) CONTROL.invokeExact(number, COMMAND_STAT, state) != 0) {
                return false;
            }
            state.set(JAVA_INT, AT_MODE, (state.get(JAVA_INT, AT_MODE) & ~MODE_BITS) | MODE_OF_USER);
            return (int) CONTROL.invokeExact(number, COMMAND_SET, state) == 0;
        } catch (Throwable impossible) {
            throw Ucp.unexpected(impossible);
        }
    }

    /**
     * The same for all segments that this process has created: UCX's queues, through which a process could have UCX
     * write anywhere in this one.
     */
    static void restrictOwn() {
        String pid = Long.toString(ProcessHandle.current().pid());
        try (Stream<String> lines = Files.lines(LIST)) {
            lines.map(line -> line.strip().split(" +"))
                    .filter(columns -> columns.length > AT_CREATOR && columns[AT_CREATOR].equals(pid))
                    .forEach(columns -> {
                        boolean _ = restrict(Integer.parseInt(columns[AT_NUMBER]));
                    });
        } catch (IOException | UncheckedIOException | NumberFormatException unknown) {
            LOG.warn(
                    "processes of this user's group may open UCX's queues: cause: {} cannot be read; mount /proc",
                    LIST,
                    unknown);
        }
    }

    /** The number by which others attach it. */
    int number() {
        return number;
    }

    /** The address at which it is attached here. */
    long address() {
        return address;
    }

    /** Bytes. */
    long size() {
        return size;
    }

    @Override
    public void close() {
        detach(address);
    }

    private static void detach(long address) {
        try {
            int _ = (int) DETACH.invokeExact(address);
        } catch (Throwable impossible) {
            throw Ucp.unexpected(impossible);
        }
    }

    private static MethodHandle call(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
    }
}
