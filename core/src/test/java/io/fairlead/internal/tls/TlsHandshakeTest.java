package io.fairlead.internal.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PeerIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a connection becomes secured, and which peers it refuses. */
@Timeout(120)
class TlsHandshakeTest {
    private static final String SECRET = "a secret of more than sixteen bytes";

    @TempDir
    private static Path folder;

    private static TestKeys keys;
    private static TestKeys others;

    @BeforeAll
    static void makeKeys() throws Exception {
        keys = TestKeys.make(folder, "one");
        others = TestKeys.make(folder, "two");
    }

    /** What each side's handshake throws; null for one that waits or is done. */
    private record Failures(
            @Nullable FairleadException connector, @Nullable FairleadException listener) {}

    private static @Nullable FairleadException advance(TlsWire.Side side, @Nullable FairleadException before) {
        if (before != null) {
            return before;
        }
        try {
            if (side.advance() == TlsHandshake.Step.DONE) {
                // What the peer finds out behind the end of this side's handshake comes as an alert.
                side.connection().read(ByteBuffer.allocate(1));
            }
            return null;
        } catch (FairleadException refused) {
            return refused;
        } catch (IOException broken) {
            throw new AssertionError(broken);
        }
    }

    private static Failures failures(TlsWire wire) throws IOException {
        @Nullable FairleadException[] failures = new FairleadException[2];
        wire.await(() -> {
            failures[0] = advance(wire.connector, failures[0]);
            failures[1] = advance(wire.listener, failures[1]);
            return failures[0] != null && failures[1] != null;
        });
        return new Failures(failures[0], failures[1]);
    }

    private static void assertUntrusted(@Nullable FairleadException thrown, String said) {
        FairleadException refused = assertInstanceOf(FairleadException.class, thrown);
        assertEquals(Reason.UNTRUSTED, refused.reason(), refused::getMessage);
        assertTrue(String.valueOf(refused.getMessage()).contains(said), refused::getMessage);
    }

    @Test
    void shouldTellBothSidesWhoThePeerIs() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            Secured connector = wire.connector.handshake.secured();
            Secured listener = wire.listener.handshake.secured();
            assertEquals(PeerIdentity.named("CN=one"), connector.identity());
            assertEquals(PeerIdentity.named("CN=one"), listener.identity());
            assertArrayEquals(connector.pathSecret(), listener.pathSecret());
            try (TlsWire another = TlsWire.connected(keys, keys)) {
                assertNotEquals(
                        ByteBuffer.wrap(connector.pathSecret()),
                        ByteBuffer.wrap(another.connector.handshake.secured().pathSecret()));
            }
        }
    }

    @Test
    void shouldWaitForNothingWhileTasksRunElsewhere() throws IOException {
        try (TlsWire wire = new TlsWire(keys, keys, 1 << 16)) {
            wire.connector.advance();
            assertEquals(SelectionKey.OP_READ, wire.connector.key.interestOps());
            while (wire.listener.tasks.isEmpty()) {
                wire.pass();
                wire.listener.advance();
            }
            assertEquals(0, wire.listener.key.interestOps());
            assertEquals(TlsHandshake.Step.WAITING, wire.listener.advance(), "the engine is left alone meanwhile");
            wire.finish();
        }
    }

    @Test
    void shouldRefuseACertificateThatNobodyTrusts() throws IOException {
        try (TlsWire wire = new TlsWire(others.trusting(keys), keys, 1 << 16)) {
            Failures failures = failures(wire);
            assertUntrusted(failures.listener(), "Empty client certificate chain");
            assertUntrusted(failures.connector(), "peer ended TLS");
        }
    }

    @Test
    void shouldRefuseAListenerThatNobodyTrusts() throws IOException {
        try (TlsWire wire = new TlsWire(keys, others.trusting(keys), 1 << 16)) {
            Failures failures = failures(wire);
            assertUntrusted(failures.connector(), "peer has not proved who it is");
            assertUntrusted(failures.listener(), "peer ended TLS");
        }
    }

    @Test
    void shouldProveASecret() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys.withSecret(SECRET), keys.withSecret(SECRET))) {
            assertEquals(
                    PeerIdentity.SHARED_SECRET,
                    wire.connector.handshake.secured().identity());
            wire.connector.write(new byte[] {1});
            assertArrayEquals(new byte[] {1}, wire.read(wire.listener, 1));
        }
    }

    /** A secret is replaced at one process after the other: first all take both, then all prove the new one, then the old one goes. */
    @Test
    void shouldProveEitherOfTwoSecrets() throws IOException {
        String next = SECRET + "!";
        String[][] sides = {
            {SECRET, SECRET + "\n" + next},
            {SECRET + "\n" + next, SECRET},
            {SECRET + "\n" + next, next + "\n" + SECRET},
            {next + "\n" + SECRET, next},
            {next, next + "\n" + SECRET},
        };
        for (String[] side : sides) {
            try (TlsWire wire = TlsWire.connected(keys.withSecret(side[0]), keys.withSecret(side[1]))) {
                wire.connector.write(new byte[] {1});
                assertArrayEquals(new byte[] {1}, wire.read(wire.listener, 1));
            }
        }
        try (TlsWire wire = new TlsWire(keys.withSecret(SECRET), keys.withSecret(next + "\n" + next + "!"), 1 << 16)) {
            assertUntrusted(failures(wire).listener(), "peer does not hold the shared secret");
        }
    }

    @Test
    void shouldRefuseAnotherSecretAndSaySoAtBothSides() throws IOException {
        try (TlsWire wire = new TlsWire(keys.withSecret(SECRET), keys.withSecret(SECRET + "!"), 1 << 16)) {
            Failures failures = failures(wire);
            assertUntrusted(failures.listener(), "peer does not hold the shared secret");
            assertUntrusted(failures.connector(), "this side does not hold its shared secret");
            assertThrows(IllegalStateException.class, wire.connector.handshake::secured);
        }
    }

    /** The other side still has the old secret, and both began with it. */
    @Test
    void shouldProveTheSecretThatItsEngineWasMadeWith() throws IOException {
        TestKeys replaced = keys.withSecret(SECRET);
        try (TlsWire wire = new TlsWire(replaced, keys.withSecret(SECRET), 1 << 16)) {
            replaced.replaceSecret(SECRET + "!");
            wire.finish();
            assertTrue(wire.connector.handshake.secured().isOutdated());
            assertFalse(wire.listener.handshake.secured().isOutdated());
        }
    }

    @Test
    void shouldNotTakeItsOwnProofForThePeers() throws IOException {
        TestKeys secret = keys.withSecret(SECRET);
        try (TlsWire wire = new TlsWire(secret, keys, 1 << 16)) {
            @Nullable FairleadException[] refused = new FairleadException[1];
            ByteBuffer said = ByteBuffer.allocate(SharedSecretProof.LENGTH);
            wire.await(() -> {
                refused[0] = advance(wire.connector, refused[0]);
                try {
                    if (wire.listener.advance() == TlsHandshake.Step.DONE && said.hasRemaining()) {
                        wire.listener.connection().read(said);
                        if (!said.hasRemaining()) {
                            wire.listener.write(said.array());
                        }
                    }
                } catch (IOException broken) {
                    throw new AssertionError(broken);
                }
                return refused[0] != null;
            });
            assertUntrusted(refused[0], "peer does not hold the shared secret");
        }
    }

    @Test
    void shouldHandOnWhatIsNotTls() throws IOException {
        byte[] said = "GET / HTTP/1.1".getBytes(StandardCharsets.US_ASCII);
        try (TlsWire wire = new TlsWire(keys, keys, 1 << 16)) {
            TlsWire.inject(wire.listener.wire, ByteBuffer.wrap(said));
            TlsHandshake.Step step = wire.listener.advance();
            while (step == TlsHandshake.Step.WAITING) {
                step = wire.listener.advance();
            }
            assertEquals(TlsHandshake.Step.NOT_TLS, step);
            ByteBuffer received = wire.listener.handshake.giveUp();
            assertEquals(ByteBuffer.wrap(said), received);
            assertTrue(wire.listener.own.isOpen());
        }
    }

    @Test
    void shouldLoseAPeerThatLeavesInTheMiddle() throws IOException {
        try (TlsWire wire = new TlsWire(keys, keys, 1 << 16)) {
            wire.connector.advance();
            wire.connector.wire.read(ByteBuffer.allocate(1 << 16));
            wire.connector.wire.close();
            FairleadException lost = null;
            while (lost == null) {
                lost = advance(wire.connector, null);
            }
            assertEquals(Reason.PEER_LOST, lost.reason());
        }
    }

    @Test
    void shouldRefuseAHandshakeThatIsGarbage() throws IOException {
        try (TlsWire wire = new TlsWire(keys, keys, 1 << 16)) {
            byte[] record = new byte[105];
            record[0] = 22;
            record[1] = 3;
            record[2] = 1;
            record[4] = 100;
            TlsWire.inject(wire.listener.wire, ByteBuffer.wrap(record));
            @Nullable FairleadException[] refused = new FairleadException[1];
            wire.await(() -> {
                refused[0] = advance(wire.listener, refused[0]);
                return refused[0] != null;
            });
            assertTrue(String.valueOf(refused[0]).contains("TLS failed"), String.valueOf(refused[0]));
        }
    }
}
