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
 * A System V shared-memory segment, attached to read and write. UCX removes the number of a segment as soon as it has attached
 * it, so the segment exists while anybody has it attached. A UCX with assertions ends the process if it unpacks a key
 * whose segment is gone (1.13 to 1.18). So the segment is attached first, which keeps it until it is closed here.
 */
final class SystemVSegment implements AutoCloseable {
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

    private static final int COMMAND_SET = 1;
    private static final int COMMAND_STAT = 2;

    /** {@code struct shmid_ds} of Linux on amd64: the mode in its {@code ipc_perm}, and the size. */
    private static final long STATE_LENGTH = 112;

    private static final long AT_MODE = 20;
    private static final long AT_SIZE = 48;
    private static final int MODE_BITS = 0x1FF;
    /** Readable and writable by the user alone. */
    private static final int MODE_OF_USER = 0x180;

    private final long address;
    private final long size;

    private SystemVSegment(long address, long size) {
        this.address = address;
        this.size = size;
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
            return new SystemVSegment(address, state.get(JAVA_LONG, AT_SIZE));
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
