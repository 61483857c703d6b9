package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.testkit.internal.ReadableCopies;
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
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The process that has the servers of all cases, where a run wants these apart from their clients, as another user in other namespaces. What a case calls
 * of its server's context, worker and endpoints runs there.
 */
final class ServerProcess {
    private static final long DEADLINE_NS = Duration.ofSeconds(60).toNanos();
    private static @Nullable ServerProcess running;

    /** What the process does for cases. */
    interface Servers {
        /** Takes stock of what the process holds. */
        void begin();

        /** Opens the context of a server; keys of the transport have the values with which the process was started. */
        Context open(Map<String, String> coreKeys);

        /** Forgets the case, of which nothing may be left. */
        void end();
    }

    private final PeerProcess process;
    private final SocketChannel channel;
    private final FarMemory memory;
    private final FarCalls calls;
    private final Servers servers;
    private boolean opened;

    private ServerProcess(TransportUnderTest transport) throws IOException {
        Path socket = ReadableCopies.folder().resolve("server");
        Path buffers = FarMemory.newFile();
        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listening.bind(UnixDomainSocketAddress.of(socket));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
            process = new PeerProcess(transport, ServerProcess.class, socket.toString(), buffers.toString());
            channel = accept(listening);
        } finally {
            Files.deleteIfExists(socket);
        }
        memory = new FarMemory(buffers, process.programPid());
        calls = new FarCalls(channel, memory);
        servers = calls.first(Servers.class);
    }

    private SocketChannel accept(ServerSocketChannel listening) throws IOException {
        listening.configureBlocking(false);
        long deadline = System.nanoTime() + DEADLINE_NS;
        SocketChannel accepted = listening.accept();
        while (accepted == null) {
            if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                process.kill();
                fail("the server's process does not connect: " + process.ending());
            }
            LockSupport.parkNanos(1_000_000);
            accepted = listening.accept();
        }
        return accepted;
    }

    /** Begins a case. */
    static ServerProcess forCase(TransportUnderTest transport) {
        try {
            ServerProcess server = running;
            // A case that was interrupted has closed the channel.
            if (server != null && !(server.process.isAlive() && server.channel.isOpen())) {
                server.process.close();
                server = null;
            }
            running = server == null ? new ServerProcess(transport) : server;
            running.opened = false;
            running.servers.begin();
            return running;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    Context open(FairleadConfig config) {
        opened = true;
        Map<String, String> texts = new HashMap<>();
        ConfigKeys.all().forEach(key -> put(config, key, texts));
        return servers.open(texts);
    }

    /** Some defaults depend on values that are configured. */
    private static <T> void put(FairleadConfig config, ConfigKey<T> key, Map<String, String> texts) {
        T value = config.value(key);
        if (!value.equals(key.defaultValue())) {
            texts.put(key.name(), key.format(value));
        }
    }

    MemorySegment buffer(long length) {
        return memory.allocate(length);
    }

    /** Ends a case, and holds the process to what holds for that of the case. */
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
        assumeTrue(opened, "the case has no server that could be in another process");
    }

    /**
     * Runs the servers until the case's process ends.
     *
     * @param arguments the transport's name, the socket of the case's process, and the file with the buffers
     */
    public static void main(String[] arguments) throws IOException {
        FarMemory memory = new FarMemory(Path.of(arguments[2]), 0);
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(arguments[1]))) {
            FarCalls calls = new FarCalls(channel, memory);
            calls.offer(new Here(calls, PeerProgram.config(arguments[0])));
            calls.serveAll();
        }
        // Threads of a case that has failed may live.
        System.exit(0);
    }

    private static final class Here implements Servers {
        private final FarCalls calls;
        private final FairleadConfig base;
        private Resources before = Resources.now();

        Here(FarCalls calls, FairleadConfig base) {
            this.calls = calls;
            this.base = base;
        }

        @Override
        public void begin() {
            before = Resources.now();
        }

        @Override
        public Context open(Map<String, String> coreKeys) {
            FairleadConfig config = base;
            for (ConfigKey<?> key : ConfigKeys.all()) {
                String text = coreKeys.get(key.name());
                config = text == null ? config : with(config, key, text);
            }
            return Context.open(config);
        }

        private static <T> FairleadConfig with(FairleadConfig config, ConfigKey<T> key, String text) {
            return config.with(key, key.parse(text));
        }

        @Override
        public void end() {
            calls.forget();
            Resources.assertNothingSince(before);
        }
    }
}
