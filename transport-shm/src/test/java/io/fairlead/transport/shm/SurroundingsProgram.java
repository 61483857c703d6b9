package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.fairlead.AccessRight;
import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.MemoryRegion;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.ChosenTransports;
import io.fairlead.testkit.loopback.LoopbackProvider;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A process in other surroundings than its peer's: connects to it, says by which path or why not, and sends it a long message. */
final class SurroundingsProgram {
    static final int LENGTH = 1 << 20;
    static final long TAG = 1;
    /** More rings than the control group of the test has memory for. */
    private static final int TOO_MANY = 10_000;

    private static final int NO_NEW_PRIVILEGES = 38;
    private static final long SECCOMP = System.getProperty("os.arch").equals("amd64") ? 317 : 277;
    private static final long MEMFD_CREATE = System.getProperty("os.arch").equals("amd64") ? 319 : 279;
    private static final long PROCESS_VM_READV = System.getProperty("os.arch").equals("amd64") ? 310 : 270;
    /**
     * What Docker's default profile leaves out for a container without capabilities, on x86-64: modules, keys, clocks, mounts, namespaces, NUMA
     * policies, tracing of performance, io_uring and others, see its documentation. Containerd's list is the same.
     */
    private static final long[] OUTSIDE_OF_DOCKERS_LIST = {
        101, 134, 136, 139, 153, 154, 155, 156, 159, 161, 163, 164, 165, 166, 167, 168,
        169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 212, 227, 236, 237,
        238, 239, 246, 248, 249, 250, 256, 272, 279, 298, 300, 303, 304, 305, 308, 310,
        311, 312, 313, 320, 321, 323, 425, 426, 427, 428, 429, 430, 431, 432, 433, 438,
        442
    };

    private static final int ERRNO_PERMISSION = 0x0005_0001;
    private static final int ALLOW = 0x7FFF_0000;

    private SurroundingsProgram() {}

    /** The port; a file with its configuration; then what the kernel is to refuse, or the bytes of a region to allocate, of this transport's memory or plain, or what to allocate in a control group until there is no memory. */
    public static void main(String[] arguments) throws Throwable {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        String condition = arguments.length > 2 ? arguments[2] : "";
        switch (condition) {
            case "without-read" -> forbid(PROCESS_VM_READV);
            case "without-files" -> forbid(MEMFD_CREATE);
            case "docker" -> forbidLikeDocker();
            default -> {}
        }
        out.println("availability: " + new ShmProvider().availability());
        try (Context context = Context.open(config(Path.of(arguments[1])))) {
            if (condition.startsWith("regions-in-")) {
                enter(condition.substring("regions-in-".length()));
                fill(
                        () -> context.allocate(1 << 20, Set.of(AccessRight.READ)),
                        made -> made.forEach(MemoryRegion::close),
                        out);
            } else if (condition.startsWith("rings-in-")) {
                enter(condition.substring("rings-in-".length()));
                RingSlots slots = new RingSlots(new Lifeline());
                fill(() -> slots.take(), _ -> slots.close(), out);
            } else if (condition.startsWith("region-")) {
                allocate(context, Long.parseLong(condition.substring("region-".length())), out);
            } else if (condition.startsWith("plain-region-")) {
                allocatePlain(Long.parseLong(condition.substring("plain-region-".length())), out);
            }
            connect(context, Integer.parseInt(arguments[0]), out);
        } catch (FairleadException failure) {
            out.println("failed: " + failure.getMessage());
        }
    }

    /** What both processes add to the configuration of a file. */
    static FairleadConfig config(Path file) {
        return FairleadConfig.load(file)
                .with(ConfigKeys.TRANSPORTS, "shm")
                .with(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(60))
                .with(ConfigKeys.HELLO_TIMEOUT, Duration.ofSeconds(60));
    }

    /** Moves this process to a control group, which counts what it allocates from now on. */
    private static void enter(String processes) throws IOException {
        Files.writeString(Path.of(processes), ProcessHandle.current().pid() + "\n", StandardOpenOption.WRITE);
    }

    /** Makes one after the other until one is refused, and closes all. */
    private static <T> void fill(Supplier<T> maker, Consumer<List<T>> closer, PrintStream out) {
        List<T> made = new ArrayList<>();
        try {
            while (made.size() < TOO_MANY) {
                made.add(maker.get());
            }
        } catch (FairleadException refused) {
            out.println("refused: " + refused.reason() + " " + refused.getMessage());
        }
        out.println("made: " + made.size());
        closer.accept(made);
    }

    /** Over a transport that allocates nothing itself. */
    private static void allocatePlain(long length, PrintStream out) {
        TransportProvider loopback = LoopbackProvider.available();
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, loopback.name());
        try (Context context = ChosenTransports.with(List.of(loopback), () -> Context.open(config))) {
            allocate(context, length, out);
        }
    }

    private static void allocate(Context context, long length, PrintStream out) {
        try (MemoryRegion region = context.allocate(length, Set.of(AccessRight.READ))) {
            region.segment().fill((byte) 1);
            out.println("region: " + region.segment().byteSize());
        } catch (FairleadException refused) {
            out.println("region: " + refused.reason() + " " + refused.getMessage());
        }
    }

    private static void connect(Context context, int port, PrintStream out) {
        try (Worker worker = context.newWorker();
                Arena arena = Arena.ofConfined()) {
            String[] cause = {""};
            Endpoint endpoint = worker.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port), new EndpointHandler() {
                        @Override
                        public void failed(Endpoint failed, FairleadException why) {
                            cause[0] = String.valueOf(why.getMessage());
                        }
                    });
            while (endpoint.state() == EndpointState.CONNECTING) {
                worker.progress();
            }
            if (endpoint.state() != EndpointState.CONNECTED) {
                while (cause[0].isEmpty()) {
                    worker.progress();
                }
                out.println("failed: " + cause[0]);
                return;
            }
            out.println("path: " + endpoint.path().orElseThrow());
            MemorySegment message = arena.allocate(LENGTH);
            message.fill((byte) 7);
            boolean[] sent = {false};
            Completion done = ended -> sent[0] = true;
            endpoint.send(message, 0, LENGTH, TAG, done, 0);
            while (!sent[0]) {
                worker.progress();
            }
            endpoint.startClose();
            while (endpoint.state() == EndpointState.CLOSING) {
                worker.progress();
            }
        }
    }

    /** Lets the kernel refuse what Docker lets it refuse. */
    static void forbidLikeDocker() throws Throwable {
        forbid(OUTSIDE_OF_DOCKERS_LIST);
    }

    /** Lets the kernel refuse a call to all threads of this process, as a container's filter does. */
    private static void forbid(long... numbers) throws Throwable {
        Linker linker = Linker.nativeLinker();
        MethodHandle prctl = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("prctl"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
        MethodHandle syscall = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS),
                Linker.Option.firstVariadicArg(1));
        try (Arena arena = Arena.ofConfined()) {
            int count = numbers.length + 3;
            MemorySegment filter = arena.allocate(count * 8L, 8);
            // Load the call's number; for one of these go to the end; allow; refuse.
            instruction(filter, 0, 0x20, 0, 0, 0);
            for (int i = 0; i < numbers.length; i++) {
                instruction(filter, 1 + i, 0x15, numbers.length - i, 0, (int) numbers[i]);
            }
            instruction(filter, count - 2, 0x06, 0, 0, ALLOW);
            instruction(filter, count - 1, 0x06, 0, 0, ERRNO_PERMISSION);
            MemorySegment program = arena.allocate(16, 8);
            program.set(JAVA_SHORT, 0, (short) count);
            program.set(ADDRESS, 8, filter);
            int privileges = (int) prctl.invokeExact(NO_NEW_PRIVILEGES, 1L, 0L, 0L, 0L);
            long set = (long) syscall.invokeExact(SECCOMP, 1L, 1L, program);
            if (privileges != 0 || set != 0) {
                throw new IllegalStateException("the kernel takes no filter: " + privileges + ", " + set);
            }
        }
    }

    private static void instruction(MemorySegment filter, int index, int code, int ifTrue, int ifFalse, int value) {
        long at = index * 8L;
        filter.set(JAVA_SHORT, at, (short) code);
        filter.set(JAVA_BYTE, at + 2, (byte) ifTrue);
        filter.set(JAVA_BYTE, at + 3, (byte) ifFalse);
        filter.set(JAVA_INT, at + 4, value);
    }
}
