package io.fairlead.transport.shm;

import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.Worker;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Objects;

/** A process that connects, lets its peer hold its sockets open beyond its end, sends messages, and waits to be killed. */
final class KilledPeerProgram {
    static final String READY = "ready";
    static final int MESSAGES = 100;
    static final long TAG = 1;
    /** Active messages, of which each third stays at this process. */
    static final int ACTIVE_MESSAGES = 20;

    static final int HANDLER = 1;
    static final int LONG_PAYLOAD = 1 << 20;

    private KilledPeerProgram() {}

    /** The port, a file with the configuration, the socket that takes its sockets, and whether it is in a container of Docker. */
    public static void main(String[] arguments) throws Throwable {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        if (Boolean.parseBoolean(arguments[3])) {
            SurroundingsProgram.forbidLikeDocker();
        }
        try (Context context = Context.open(SurroundingsProgram.config(Path.of(arguments[1])));
                Worker worker = context.newWorker();
                Arena arena = Arena.ofConfined()) {
            Endpoint endpoint = worker.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0])),
                    EndpointHandler.NONE);
            while (endpoint.state() == EndpointState.CONNECTING) {
                worker.progress();
            }
            passSockets(SocketId.read(ByteBuffer.wrap(HexFormat.of().parseHex(arguments[2]))));
            MemorySegment message = arena.allocate(Long.BYTES);
            for (int i = 0; i < MESSAGES; i++) {
                endpoint.send(message, 0, Long.BYTES, TAG, Completion.IGNORE, 0);
            }
            MemorySegment payload = arena.allocate(LONG_PAYLOAD);
            for (int i = 0; i < ACTIVE_MESSAGES; i++) {
                MemorySegment header = arena.allocateFrom(ValueLayout.JAVA_INT, i);
                endpoint.sendActive(
                        HANDLER, header, payload.asSlice(0, i % 3 == 0 ? LONG_PAYLOAD : 8), Completion.IGNORE);
            }
            while (endpoint.state() == EndpointState.CONNECTED) {
                if (worker.progress() == 0) {
                    out.println(READY);
                    worker.await(Long.MAX_VALUE);
                }
            }
            out.println("ended: " + endpoint);
        }
    }

    private static void passSockets(SocketId id) throws IOException {
        for (String name : Objects.requireNonNull(new File("/proc/self/fd").list())) {
            Path link = Path.of("/proc/self/fd", name);
            if (Files.exists(link) && Files.readSymbolicLink(link).toString().startsWith("socket:")) {
                try (LocalSocket socket = SocketPlace.NAMESPACE.connect(id)) {
                    socket.send(new byte[] {1}, Integer.parseInt(name));
                }
            }
        }
    }
}
