package io.fairlead.system.trust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKeys;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.Credential;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Peers that must not get in, over real sockets. The victim and a friend of it exchange messages before, during and after each attempt, both sides
 * tell why it failed, and what they told is the table in docs/security.md.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RefusedPeersTest {
    private static final String STRANGER = "stranger";
    private static final String TLS = "TLSv1.3";
    private static final byte[] NOTHING = {};
    private static final String ENDED_BY_PEER = "peer ended TLS";
    private static final String REVOKED = "the peer's certificate is revoked";
    private static final String ANOTHER_AUTHORITY = "the peer's certificate is not from an authority of security.trust";
    /** One for each case that has passed, by the case's place. */
    private static final Map<Integer, RefusalTable.Row> ROWS = new TreeMap<>();

    private static final int CASES = 13;

    @TempDir
    private Path folder;

    private TrustKeys keys;
    private TrustKeys others;

    @BeforeEach
    void makeKeys() throws Exception {
        keys = new TrustKeys(folder, "trusted-ca");
        others = new TrustKeys(folder, "other-ca");
    }

    @AfterAll
    static void compareTable() throws Exception {
        // A case that has failed, or was left out, has no row, and is told of by itself.
        if (ROWS.size() == CASES) {
            RefusalTable.check(List.copyOf(ROWS.values()));
        }
    }

    private Scene scene() throws Exception {
        return new Scene(keys.node(Scene.VICTIM), keys.node(Scene.FRIEND));
    }

    /** The configuration of a node whose certificate another authority has signed, and that trusts everybody's. */
    private FairleadConfig stranger() throws Exception {
        return keys.node(STRANGER, others.issue(STRANGER));
    }

    /** A Fairlead node is refused: both ends have logged why. */
    private static void assertRefused(
            int place,
            String peer,
            Scene scene,
            LogLines log,
            Endpoint attempt,
            Reason reason,
            String there,
            String here) {
        scene.exchangeUntil(
                () -> attempt.state() != EndpointState.CONNECTING && log.has(Scene.VICTIM, here),
                peer + " to be refused: " + log);
        assertEquals(EndpointState.FAILED, attempt.state(), peer);
        assertEquals(reason, attempt.failure().orElseThrow().reason(), () -> String.valueOf(attempt.failure()));
        assertNotEquals(Reason.TIMED_OUT, attempt.failure().orElseThrow().reason());
        assertTrue(log.has(attempt.worker().context().config().value(ConfigKeys.NODE_NAME), there), log::toString);
        assertEquals(1, scene.victim().accepted().size(), "the victim is never told of the stranger");
        ROWS.put(place, new RefusalTable.Row(peer, there, here));
    }

    /** A peer that is none of Fairlead's is refused: the victim has logged why, and so much the peer has read. */
    private static void assertForeignRefused(
            int place,
            String peer,
            Scene scene,
            LogLines log,
            CompletableFuture<String> attempt,
            String there,
            String here) {
        scene.exchangeUntil(() -> attempt.isDone() && log.has(Scene.VICTIM, here), peer + " to be refused: " + log);
        String heard = attempt.join();
        assertTrue(heard.contains(there), () -> "it has heard: " + heard);
        assertEquals(1, scene.victim().accepted().size(), "the victim is never told of the stranger");
        ROWS.put(place, new RefusalTable.Row(peer, there.isEmpty() ? "(the listener hangs up)" : there, here));
    }

    @Test
    @Order(1)
    void shouldRefuseAPeerWithoutACertificate() throws Exception {
        try (LogLines log = new LogLines();
                Scene scene = scene()) {
            var attempt = ForeignTls.say(ForeignTls.context(Optional.empty()), TLS, scene.address(), NOTHING);
            assertForeignRefused(
                    1, "no certificate", scene, log, attempt, "certificate_required", "(certificate_required)");
        }
    }

    @Test
    @Order(2)
    void shouldRefuseAPeerOfAnotherAuthority() throws Exception {
        try (LogLines log = new LogLines();
                Scene scene = scene()) {
            Endpoint attempt = scene.join(stranger()).connect(scene.address());
            assertRefused(
                    2,
                    "certificate of another authority",
                    scene,
                    log,
                    attempt,
                    Reason.UNTRUSTED,
                    ENDED_BY_PEER,
                    ANOTHER_AUTHORITY);
        }
    }

    @Test
    @Order(3)
    void shouldRefuseAListenerOfAnotherAuthority() throws Exception {
        try (LogLines log = new LogLines();
                Scene scene = scene()) {
            InetSocketAddress trap = scene.join(stranger()).listen();
            Endpoint attempt = scene.victim().connect(trap);
            assertTrap(3, "listener with a certificate of another authority", scene, log, attempt, ANOTHER_AUTHORITY);
        }
    }

    /** The victim itself has connected to the stranger. */
    private static void assertTrap(int place, String peer, Scene scene, LogLines log, Endpoint attempt, String here) {
        scene.exchangeUntil(
                () -> attempt.state() != EndpointState.CONNECTING && log.has(STRANGER, ENDED_BY_PEER),
                peer + " to be refused: " + log);
        assertEquals(Reason.UNTRUSTED, attempt.failure().orElseThrow().reason());
        assertTrue(log.has(Scene.VICTIM, here), log::toString);
        ROWS.put(place, new RefusalTable.Row(peer, ENDED_BY_PEER, here));
    }

    @Test
    @Order(4)
    void shouldRefuseAnExpiredCertificate() throws Exception {
        Credential brief = keys.issue(STRANGER, List.of(), Duration.ofSeconds(10));
        Instant end = brief.certificate().getNotAfter().toInstant();
        try (LogLines log = new LogLines();
                Scene scene = scene()) {
            Party stranger = scene.join(keys.node(STRANGER, brief));
            scene.exchangeUntil(() -> Instant.now().isAfter(end.plusSeconds(1)), "the certificate to expire");
            Endpoint attempt = stranger.connect(scene.address());
            assertRefused(
                    4,
                    "expired certificate",
                    scene,
                    log,
                    attempt,
                    Reason.UNTRUSTED,
                    ENDED_BY_PEER,
                    "the peer's certificate has expired");
        }
    }

    @Test
    @Order(5)
    void shouldRefuseAListenerOfAnotherName() throws Exception {
        try (LogLines log = new LogLines();
                Scene scene = scene()) {
            Credential misnamed = keys.issue(STRANGER, List.<InetAddress>of(), Duration.ofDays(30));
            InetSocketAddress trap = scene.join(keys.node(STRANGER, misnamed)).listen();
            assertTrap(
                    5,
                    "listener whose certificate names another host",
                    scene,
                    log,
                    scene.victim().connect(trap),
                    "the peer's certificate is another host's");
        }
    }

    @Test
    @Order(6)
    void shouldRefuseACertificateThatIsRevokedMeanwhile() throws Exception {
        keys.write("revoked", "");
        FairleadConfig victim = keys.node(Scene.VICTIM)
                .with(SecurityKeys.REVOKED, keys.path("revoked").toString())
                // That others are revoked replaces no keys of the friend's connection.
                .with(SecurityKeys.CONNECTION_MAX_AGE, Duration.ofMillis(1))
                .with(SecurityKeys.RELOAD_INTERVAL, Duration.ofMillis(100));
        Credential own = keys.issue(STRANGER);
        try (LogLines log = new LogLines();
                Scene scene = new Scene(victim, keys.node(Scene.FRIEND))) {
            Party stranger = scene.join(keys.node(STRANGER, own));
            Endpoint before = stranger.connect(scene.address());
            scene.exchangeUntil(() -> before.state() == EndpointState.CONNECTED, "the peer to be let in");
            scene.exchangeUntil(() -> scene.victim().accepted().size() == 2, "the victim to know it");
            Endpoint live = scene.victim().accepted().get(1);
            keys.write("revoked", own.certificate().getSerialNumber().toString(16) + "\n");
            scene.exchangeUntil(
                    () -> live.state() == EndpointState.FAILED && before.state() == EndpointState.FAILED,
                    "the live connection of the revoked peer to end");
            FairleadException ended = live.failure().orElseThrow();
            assertEquals(Reason.UNTRUSTED, ended.reason());
            String text = String.valueOf(ended.getMessage());
            assertTrue(text.contains("has been revoked since the connection was made"), text);
            Endpoint refused = untilRefused(scene, stranger);
            assertEquals(Reason.UNTRUSTED, refused.failure().orElseThrow().reason());
            scene.exchangeUntil(() -> log.has(Scene.VICTIM, REVOKED), "the victim to say why");
            assertTrue(log.has(STRANGER, ENDED_BY_PEER), log::toString);
            ROWS.put(6, new RefusalTable.Row("certificate revoked by a reload", ENDED_BY_PEER, REVOKED));
        }
    }

    /** The file is looked at every now and then. */
    private static Endpoint untilRefused(Scene scene, Party stranger) {
        while (true) {
            Endpoint attempt = stranger.connect(scene.address());
            scene.exchangeUntil(() -> attempt.state() != EndpointState.CONNECTING, "an attempt to end");
            if (attempt.state() == EndpointState.FAILED) {
                return attempt;
            }
            attempt.close();
        }
    }

    @Test
    @Order(7)
    void shouldRefuseAReplayedHandshake() throws Exception {
        Middle[] opened = new Middle[1];
        Scene.Way overheard = listener -> (opened[0] = Middle.onTheWire(listener)).address();
        try (LogLines log = new LogLines();
                Scene scene = new Scene(keys.node(Scene.VICTIM), keys.node(Scene.FRIEND), overheard);
                Middle wire = opened[0]) {
            var attempt = ForeignTls.sayPlain(scene.address(), wire.recorded());
            assertForeignRefused(
                    7,
                    "replay of all that a connector has said (replayed HELLO)",
                    scene,
                    log,
                    attempt,
                    "",
                    "TLS failed");
        }
    }

    @Test
    @Order(8)
    void shouldRefuseAnOlderTls() throws Exception {
        try (LogLines log = new LogLines();
                Scene scene = scene()) {
            SSLContext member = ForeignTls.context(Optional.of(keys.issue(STRANGER)));
            var attempt = ForeignTls.say(member, "TLSv1.2", scene.address(), NOTHING);
            assertForeignRefused(
                    8,
                    "TLS 1.2, with a good certificate",
                    scene,
                    log,
                    attempt,
                    "protocol_version",
                    "(protocol_version)");
        }
    }

    @Test
    @Order(9)
    void shouldRefuseAPlainPeer() throws Exception {
        try (LogLines log = new LogLines();
                Scene scene = scene()) {
            Endpoint attempt = scene.join(TrustKeys.plain(STRANGER)).connect(scene.address());
            String words = "the connector does not speak TLS";
            assertRefused(9, "HELLO without TLS", scene, log, attempt, Reason.REFUSED, words, words);
        }
    }

    @Test
    @Order(10)
    void shouldRefuseAPlainListener() throws Exception {
        try (LogLines log = new LogLines();
                Scene scene = scene()) {
            InetSocketAddress trap = scene.join(TrustKeys.plain(STRANGER)).listen();
            Endpoint attempt = scene.victim().connect(trap);
            String there = "the connector speaks TLS, and security.mode=off at the listener";
            String here = "peer does not speak TLS";
            scene.exchangeUntil(
                    () -> attempt.state() != EndpointState.CONNECTING && log.has(STRANGER, there),
                    "a plain listener to be refused: " + log);
            assertEquals(Reason.REFUSED, attempt.failure().orElseThrow().reason());
            assertTrue(log.has(Scene.VICTIM, here), log::toString);
            ROWS.put(10, new RefusalTable.Row("listener without TLS", there, here));
        }
    }

    @Test
    @Order(11)
    void shouldRefuseAHelloThatDeniesTls() throws Exception {
        byte[] plainHello;
        Middle[] opened = new Middle[1];
        Scene.Way overheard = listener -> (opened[0] = Middle.onTheWire(listener)).address();
        try (Scene plain = new Scene(TrustKeys.plain(Scene.VICTIM), TrustKeys.plain(Scene.FRIEND), overheard);
                Middle wire = opened[0]) {
            plain.exchangeUntil(() -> true, "another message");
            plainHello = wire.recorded();
        }
        try (LogLines log = new LogLines();
                Scene scene = scene()) {
            SSLContext member = ForeignTls.context(Optional.of(keys.issue(STRANGER)));
            var attempt = ForeignTls.say(member, TLS, scene.address(), plainHello);
            String words = "what the connector says of security is not so";
            assertForeignRefused(11, "HELLO that says security is off, inside TLS", scene, log, attempt, words, words);
        }
    }

    @Test
    @Order(12)
    void shouldRefuseAnotherSecret() throws Exception {
        try (LogLines log = new LogLines();
                Scene scene = new Scene(keys.secret(Scene.VICTIM, 1), keys.secret(Scene.FRIEND, 1))) {
            Endpoint attempt = scene.join(keys.secret(STRANGER, 2)).connect(scene.address());
            assertRefused(
                    12,
                    "another shared secret",
                    scene,
                    log,
                    attempt,
                    Reason.UNTRUSTED,
                    "peer says that this side does not hold its shared secret",
                    "peer does not hold the shared secret");
        }
    }

    /** Both honest sides hold the secret. Somebody between them ends TLS on either side, and passes on what is inside. */
    @Test
    @Order(13)
    void shouldRefuseARelayInTheMiddle() throws Exception {
        SSLContext relays = ForeignTls.context(Optional.of(Credential.selfSigned("fairlead-shared-secret")));
        try (LogLines log = new LogLines();
                Scene scene = new Scene(keys.secret(Scene.VICTIM, 1), keys.secret(Scene.FRIEND, 1));
                Middle relay = Middle.insideTls(scene.address(), relays)) {
            Endpoint attempt = scene.join(keys.secret("deceived", 1)).connect(relay.address());
            assertRefused(
                    13,
                    "relay between two peers with the shared secret",
                    scene,
                    log,
                    attempt,
                    Reason.UNTRUSTED,
                    "peer says that this side does not hold its shared secret",
                    "peer does not hold the shared secret");
            assertTrue(relay.recorded().length > 0, "the relay has heard what it passes on");
        }
    }
}
