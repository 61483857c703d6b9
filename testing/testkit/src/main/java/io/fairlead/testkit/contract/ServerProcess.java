package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The process that has the servers of all cases, where a run wants these apart from their clients: in other namespaces, of another user. Cases and
 * their suites are the same; what they call of the server's context, worker and endpoints runs there.
 */
final class ServerProcess {
    private static final long DEADLINE_NS = Duration.ofSeconds(60).toNanos();
    private static @Nullable ServerProcess running;

    /** What the program does for cases. */
    interface Servers {
        /** Takes stock of what the process has. */
        void begin();

        /** Opens the context of a server. */
        Context open(FairleadConfig config);

        /** Forgets everything of the case; nothing may be left. */
        void end();
    }

    private final PeerProcess process;
    private final FarMemory memory;
    private final FarCalls calls;
    private final Servers servers;
    private final Thread owner = Thread.currentThread();
    private boolean opened;

    private ServerProcess(TransportUnderTest transport) throws IOException {
        Path folder = Files.createTempDirectory("fairlead-contract");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path socket = folder.resolve("server");
        Path buffers = FarMemory.newFile();
        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listening.bind(UnixDomainSocketAddress.of(socket));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
            process = new PeerProcess(transport, ServerProgram.class, socket.toString(), buffers.toString());
            listening.configureBlocking(false);
            SocketChannel channel = accept(listening);
            channel.configureBlocking(true);
            memory = FarMemory.ofCase(buffers, process.programPid());
            calls = new FarCalls(channel, memory);
            servers = calls.first(Servers.class);
        } finally {
            Files.deleteIfExists(socket);
            Files.delete(folder);
        }
    }

    private SocketChannel accept(ServerSocketChannel listening) throws IOException {
        long deadline = System.nanoTime() + DEADLINE_NS;
        SocketChannel channel = listening.accept();
        while (channel == null) {
            if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                String ending = process.ending();
                process.close();
                fail("the servers' process does not connect: " + ending);
            }
            LockSupport.parkNanos(1_000_000);
            channel = listening.accept();
        }
        return channel;
    }

    /** Begins a case. */
    static ServerProcess forCase(TransportUnderTest transport) {
        try {
            ServerProcess server = running;
            if (server == null
                    || !server.process.isAlive()
                    || server.calls.isBroken()
                    || !server.owner.equals(Thread.currentThread())) {
                if (server != null) {
                    server.process.close();
                }
                server = new ServerProcess(transport);
                running = server;
            }
            server.opened = false;
            server.servers.begin();
            return server;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    Context open(FairleadConfig config) {
        opened = true;
        return servers.open(config);
    }

    MemorySegment buffer(long length) {
        return memory.allocate(length);
    }

    /** Holds the process to what holds for that of the case. */
    void end() throws IOException {
        try {
            servers.end();
        } finally {
            calls.forget();
            memory.reset();
        }
    }

    /** A case that has had no server proves nothing of two processes. */
    void assumeUsed() {
        assumeTrue(opened, "the case has no server, and is to be left out where servers are apart");
    }
}
