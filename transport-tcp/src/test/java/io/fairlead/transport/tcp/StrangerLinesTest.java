package io.fairlead.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** What peers that do not complete the handshake put into the log, where nobody has to prove who it is. */
@Timeout(120)
final class StrangerLinesTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final long DEADLINE_NS = Duration.ofSeconds(60).toNanos();
    /** Of a message of the handshake; its length is in the last four bytes. */
    private static final int HEADER_LENGTH = 12;

    private static final int LINES_MAX = 50;
    private static final String SERVER = "server";
    private static final int HANDLER = 3;
    private static final MemorySegment NOTHING = Arena.global().allocate(8).asSlice(0, 0);

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.fairlead");
    private final Level level = logger.getLevel();
    private final Lines lines = new Lines();

    /** What the server logs, but for details. */
    private static final class Lines extends AppenderBase<ILoggingEvent> {
        private final List<String> texts = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent event) {
            // Exceptions of call-backs have no keys.
            if (SERVER.equals(event.getMDCPropertyMap().get("node")) || event.getLevel() == Level.ERROR) {
                texts.add(event.getFormattedMessage());
            }
        }

        long count(String beginning) {
            return texts.stream().filter(text -> text.startsWith(beginning)).count();
        }
    }

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
        logger.setLevel(level);
    }

    @Test
    void shouldBoundTheLinesAboutPeersThatAreNeverConnected() throws IOException {
        byte[] hello = hello();
        int strangers = LINES_MAX + 10;
        try (Context context = Context.open(config(SERVER));
                Worker server = context.newWorker();
                Context other = Context.open(config("client"));
                Worker client = other.newWorker()) {
            InetSocketAddress address =
                    server.listen(ANY_PORT, EndpointHandler.NONE).address();
            long beganNs = System.nanoTime();
            for (int i = 0; i < strangers; i++) {
                try (SocketChannel stranger = SocketChannel.open(address)) {
                    stranger.write(ByteBuffer.wrap(hello));
                    stranger.configureBlocking(false);
                    ByteBuffer answer = ByteBuffer.allocate(4096);
                    drive(() -> read(stranger, answer) > 0, server);
                }
            }
            drive(() -> server.counters().value(Counter.ENDPOINTS_FAILED) == strangers, server);
            long periods = 1 + (System.nanoTime() - beganNs) / 10_000_000_000L;

            assertTrue(lines.count("failed ") > 0, lines.texts::toString);
            assertTrue(lines.texts.size() <= (LINES_MAX + 1) * periods, lines.texts::toString);

            // Nothing is left out about whoever has been connected.
            lines.texts.clear();
            Endpoint connected = client.connect(address, EndpointHandler.NONE);
            drive(() -> connected.state() == EndpointState.CONNECTED && lines.count("connected ") == 1, server, client);
            connected.abort();
            drive(() -> lines.count("failed ") == 1, server, client);
            assertEquals(1, lines.count("selected tcp "), lines.texts::toString);
        }
    }

    @Test
    void shouldBoundTheLinesAboutAHandlerThatThrowsForEachMessage() {
        int messages = 1000;
        int[] handled = {0};
        try (Context context = Context.open(config(SERVER));
                Worker server = context.newWorker();
                Context other = Context.open(config("client"));
                Worker client = other.newWorker()) {
            server.register(HANDLER, _ -> {
                handled[0]++;
                throw new IllegalStateException("disk is full");
            });
            Endpoint sender =
                    client.connect(server.listen(ANY_PORT, EndpointHandler.NONE).address(), EndpointHandler.NONE);
            drive(() -> sender.state() == EndpointState.CONNECTED, server, client);
            long beganNs = System.nanoTime();
            for (int i = 0; i < messages; i++) {
                drive(() -> sender.sendActive(HANDLER, NOTHING, NOTHING, _ -> {}) > 0, server, client);
            }
            drive(() -> handled[0] == messages, server, client);
            long periods = 1 + (System.nanoTime() - beganNs) / 10_000_000_000L;

            long thrown = lines.count("an active message handler threw; number=" + HANDLER);
            assertTrue(thrown >= 1 && thrown <= periods, lines.texts::toString);
        }
    }

    private static FairleadConfig config(String name) {
        return FairleadConfig.defaults().with(ConfigKeys.NODE_NAME, name).with(ConfigKeys.TRANSPORTS, "tcp");
    }

    private static int read(SocketChannel channel, ByteBuffer target) {
        try {
            return channel.read(target);
        } catch (IOException hungUp) {
            throw new IllegalStateException(hungUp);
        }
    }

    private static void drive(BooleanSupplier condition, Worker... workers) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            for (Worker worker : workers) {
                worker.progress();
            }
            assertTrue(System.nanoTime() - startNs < DEADLINE_NS, "waited too long");
        }
    }

    /** What a good connector says first. */
    private static byte[] hello() throws IOException {
        try (ServerSocketChannel fake = ServerSocketChannel.open().bind(ANY_PORT);
                Context context = Context.open(config("stranger"));
                Worker worker = context.newWorker()) {
            worker.connect((InetSocketAddress) fake.getLocalAddress(), EndpointHandler.NONE);
            fake.configureBlocking(false);
            SocketChannel[] accepted = new SocketChannel[1];
            drive(
                    () -> {
                        try {
                            accepted[0] = fake.accept();
                        } catch (IOException failure) {
                            throw new IllegalStateException(failure);
                        }
                        return accepted[0] != null;
                    },
                    worker);
            try (SocketChannel peer = accepted[0]) {
                peer.configureBlocking(false);
                ByteBuffer read = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
                drive(
                        () -> read(peer, read) >= 0
                                && read.position() >= HEADER_LENGTH
                                && read.position() >= HEADER_LENGTH + read.getInt(HEADER_LENGTH - Integer.BYTES),
                        worker);
                byte[] hello = new byte[read.flip().remaining()];
                read.get(hello);
                return hello;
            }
        }
    }
}
