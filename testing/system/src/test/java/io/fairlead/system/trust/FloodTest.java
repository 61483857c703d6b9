package io.fairlead.system.trust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Floods of strangers against a listener with {@code security.mode = encrypted}. Meanwhile the victim and a friend exchange messages, somebody who may connect does, and the
 * strangers are hung up on.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@EnabledOnOs(
        value = OS.LINUX,
        disabledReason = "strangers come from addresses of their own, and other systems have one loopback address")
final class FloodTest {
    private static final String NEWCOMER = "newcomer";
    /** More than a listener carries on handshakes, by its defaults. */
    private static final int STRANGERS = 200;

    private static final int SHED = 300;
    /** Connections of a good peer, each of which is let in. */
    private static final int GUESTS = 5;

    /** How long a hello may take; strangers hold their places for a moment, if others want them. */
    private static final Duration HELLO = Duration.ofSeconds(30);

    /** In 10 seconds. */
    private static final int LINES_MAX = 50;

    private static final int TLS_HEADER = 5;

    @TempDir
    private Path folder;

    /** What strangers do. */
    private enum Kind {
        /** They say nothing. */
        SILENCE,
        /** They say a good hello of TLS, a byte at a time. */
        SLOW_BYTES,
        /** They say a good hello of TLS, have the listener answer it, and nothing more. */
        HALF_HANDSHAKE,
        /** They say all that a good connector has said. */
        REPLAY,
        /** They announce a record of TLS that is longer than any may be. */
        LONG_RECORD,
        /** They have a good certificate, and announce a message of the handshake that is longer than any may be. */
        LONG_MESSAGE;

        Flood.Deed deed(byte[] recorded, SSLContext member) {
            byte[] hello = firstRecord(recorded);
            return switch (this) {
                case SILENCE -> _ -> {};
                case SLOW_BYTES -> connection -> sayByBytes(connection, hello);
                case HALF_HANDSHAKE -> connection -> say(connection, hello);
                case REPLAY -> connection -> say(connection, recorded);
                case LONG_RECORD -> connection -> say(connection, new byte[] {22, 3, 3, -1, -1, 1});
                case LONG_MESSAGE -> connection -> sayInside(member, connection, longMessage());
            };
        }
    }

    private static byte[] firstRecord(byte[] stream) {
        int length = Short.toUnsignedInt(ByteBuffer.wrap(stream).getShort(TLS_HEADER - Short.BYTES));
        assertTrue(stream.length > TLS_HEADER + length, "more than a record was recorded");
        return Arrays.copyOf(stream, TLS_HEADER + length);
    }

    /** The header of a Hello with a body of 2 GiB, less a byte. */
    private static byte[] longMessage() {
        return ByteBuffer.allocate(12)
                .putInt(0xF0464C44)
                .put((byte) 1)
                .put((byte) 0)
                .putShort((short) 0)
                .putInt(Integer.reverseBytes(Integer.MAX_VALUE))
                .array();
    }

    private static void say(Socket connection, byte[] said) throws IOException {
        connection.getOutputStream().write(said);
    }

    private static void sayByBytes(Socket connection, byte[] said) throws IOException {
        connection.setSoTimeout(10);
        InputStream in = connection.getInputStream();
        OutputStream out = connection.getOutputStream();
        for (byte next : said) {
            out.write(next);
            try {
                if (in.read() < 0) {
                    return;
                }
            } catch (SocketTimeoutException silent) {
                // The listener still waits for more.
            }
        }
    }

    private static void sayInside(SSLContext member, Socket connection, byte[] said) throws IOException {
        SSLSocket inside = (SSLSocket)
                member.getSocketFactory().createSocket(connection, "127.0.0.1", connection.getPort(), false);
        inside.setSSLParameters(ForeignTls.parameters("TLSv1.3"));
        inside.getOutputStream().write(said);
        // What the listener says before it hangs up.
        inside.getInputStream().readAllBytes();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldServeGoodPeersBesideAFlood(Kind kind) throws Exception {
        withstand(List.of(kind), STRANGERS, SHED);
    }

    @Test
    void shouldServeGoodPeersBesideAllFloodsAtOnce() throws Exception {
        withstand(List.of(Kind.values()), STRANGERS / 4, SHED / 4);
    }

    private void withstand(List<Kind> kinds, int strangers, int shed) throws Exception {
        TrustKeys keys = new TrustKeys(folder, "trusted-ca");
        FairleadConfig victim = keys.node(Scene.VICTIM).with(ConfigKeys.HELLO_TIMEOUT, HELLO);
        SSLContext member = ForeignTls.context(Optional.of(keys.issue("member")));
        Middle[] opened = new Middle[1];
        Scene.Way overheard = listener -> (opened[0] = Middle.onTheWire(listener)).address();
        try (LogLines log = new LogLines();
                Scene scene = new Scene(victim, keys.node(Scene.FRIEND), overheard);
                Middle wire = opened[0];
                Floods floods = new Floods()) {
            byte[] recorded = wire.recorded();
            for (Kind kind : kinds) {
                floods.begin(kind, scene.address(), strangers, kind.deed(recorded, member));
            }
            scene.exchangeUntil(() -> floods.haveBegun(strangers), "the strangers to be there");
            Party friend = scene.join(keys.node(NEWCOMER));
            Endpoint newcomer = letIn(scene, friend);
            for (int i = 1; i < GUESTS; i++) {
                newcomer = letIn(scene, friend);
            }
            scene.exchangeUntil(() -> floods.wereShed(shed), "strangers to be hung up on: " + floods);
            assertEquals(EndpointState.CONNECTED, newcomer.state());
            assertLetIn(scene, Scene.FRIEND, NEWCOMER);
            // What strangers do must not fill the log either.
            long lines = log.count(Scene.VICTIM, "/127.0.0.5:")
                    + log.count(Scene.VICTIM, "/127.0.0.6:")
                    + log.count(Scene.VICTIM, "/127.0.0.7:")
                    + log.count(Scene.VICTIM, "/127.0.0.8:");
            assertTrue(lines <= LINES_MAX * (1 + floods.seconds() / 10), () -> lines + " lines: " + log);
        }
    }

    /** All that go on at a time. */
    private static final class Floods implements AutoCloseable {
        private final Map<Kind, Flood> all = new EnumMap<>(Kind.class);
        private final long beganNs = System.nanoTime();

        void begin(Kind kind, InetSocketAddress listener, int strangers, Flood.Deed deed) {
            all.put(kind, new Flood(listener, strangers, deed));
        }

        boolean haveBegun(long connections) {
            return all.values().stream().allMatch(flood -> flood.begun() >= connections);
        }

        boolean wereShed(long connections) {
            return all.values().stream().allMatch(flood -> flood.shed() >= connections);
        }

        long seconds() {
            return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNs);
        }

        @Override
        public String toString() {
            return String.valueOf(all);
        }

        @Override
        public void close() throws IOException {
            for (Flood flood : all.values()) {
                flood.close();
            }
        }
    }

    /** Nobody beside it comes from its address, so that strangers of others do not cost it its place. */
    private static Endpoint letIn(Scene scene, Party newcomer) {
        Endpoint attempt = newcomer.connect(scene.address());
        scene.exchangeUntil(() -> attempt.state() != EndpointState.CONNECTING, "the newcomer's attempt to end");
        assertEquals(EndpointState.CONNECTED, attempt.state(), () -> "not let in: " + attempt.failure());
        return attempt;
    }

    private static void assertLetIn(Scene scene, String... names) {
        List<String> subjects = Arrays.stream(names).map(name -> "CN=" + name).toList();
        for (Endpoint accepted : scene.victim().accepted()) {
            String subject = accepted.peerIdentity().name();
            assertTrue(subjects.contains(subject), () -> "somebody else was let in: " + subject);
        }
    }
}
