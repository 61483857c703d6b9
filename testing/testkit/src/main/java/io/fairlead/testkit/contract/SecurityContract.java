package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Authorizer;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathClass;
import io.fairlead.PeerIdentity;
import io.fairlead.SecurityMode;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.internal.RawPeer;
import io.fairlead.testkit.internal.Relay;
import io.fairlead.testkit.internal.SpareProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may connect, and what can be read on the way. Connections are secured by a secret here, and where names matter by certificates; that needs the module {@code fairlead-security}. */
public class SecurityContract extends TransportContract {
    private static final String FABRIC = "fabric";
    private static final String TEXT = "nobody else is to read this, however long they look at it";
    /** In the documentation's range, where nobody is. */
    private static final byte[] ELSEWHERE = {(byte) 192, 0, 2, 1};

    @TempDir
    Path folder;

    /** Creates the suite. */
    protected SecurityContract() {}

    /** Sides that are opened from now on have a mode, and the secret of all others. */
    private void secure(SecurityMode mode) {
        assumeTrue(SecuredTransport.isAvailable(), "fairlead-security is not on the path");
        reconfigure(SecuredTransport.secured(config(), mode));
    }

    private void doWithoutSecurity() {
        configure(ConfigKeys.SECURITY_MODE, SecurityMode.OFF);
    }

    @Test
    @Semantics("E-01")
    void shouldStayOnLoopbackWithoutSecurity() throws UnknownHostException {
        doWithoutSecurity();
        Side side = newSide("plain");
        InetSocketAddress everywhere = new InetSocketAddress(0);
        InetSocketAddress elsewhere = new InetSocketAddress(InetAddress.getByAddress(ELSEWHERE), 1);
        assertRefused(assertThrows(FairleadException.class, () -> side.worker().listen(everywhere, side.events())));
        assertRefused(assertThrows(FairleadException.class, () -> side.connect(elsewhere)));
    }

    private static void assertRefused(FairleadException refused) {
        assertEquals(Reason.CONFIGURATION, refused.reason());
        assertMentions("security.mode", refused);
        assertMentions("security.allow-insecure = true", refused);
    }

    @Test
    @Semantics("E-02")
    void shouldLeaveLoopbackWhereThatIsAskedFor() {
        doWithoutSecurity();
        configure(ConfigKeys.SECURITY_ALLOW_INSECURE, true);
        Side side = newSide("insecure");
        side.worker().listen(new InetSocketAddress(0), side.events()).close();
    }

    @Test
    @Semantics("E-02")
    void shouldLeaveLoopbackWithSecurity() {
        secure(SecurityMode.AUTHENTICATED);
        Side side = newSide("secured");
        side.worker().listen(new InetSocketAddress(0), side.events()).close();
    }

    @Test
    @Semantics("E-03")
    void shouldTellWhoThePeerIs() {
        secure(SecurityMode.AUTHENTICATED);
        Pair pair = connect();
        assertEquals(PeerIdentity.SHARED_SECRET, pair.client().endpoint().peerIdentity());
        assertEquals(PeerIdentity.SHARED_SECRET, pair.server().endpoint().peerIdentity());
        doWithoutSecurity();
        Pair plain = connect(newSide("plain client"), newSide("plain server"));
        assertEquals(PeerIdentity.ANONYMOUS, plain.client().endpoint().peerIdentity());
        assertEquals(PeerIdentity.ANONYMOUS, plain.server().endpoint().peerIdentity());
    }

    @Test
    @Semantics("E-10")
    void shouldTellTheNamesOfThePeersCertificate() throws IOException {
        assumeTrue(SecuredTransport.isAvailable(), "fairlead-security is not on the path");
        CertificateFolder keys = new CertificateFolder(folder);
        FairleadConfig base = config();
        reconfigure(keys.certified(base, "listens", "server.example.org", "spiffe://example.org/server"));
        server();
        reconfigure(keys.certified(base, "connects", "client.example.org", "spiffe://example.org/client"));

        Pair pair = connect();

        assertEquals(
                new PeerIdentity("CN=listens", List.of("server.example.org"), List.of("spiffe://example.org/server")),
                pair.client().endpoint().peerIdentity());
        assertEquals(
                new PeerIdentity("CN=connects", List.of("client.example.org"), List.of("spiffe://example.org/client")),
                pair.server().endpoint().peerIdentity());
        exchange(pair);
    }

    @Test
    @Semantics("E-04")
    void shouldConnectModesThatAreNotTheSame() {
        secure(SecurityMode.AUTHENTICATED);
        Side authenticated = newSide("authenticated");
        secure(SecurityMode.ENCRYPTED);
        Side encrypted = newSide("encrypted");
        exchange(connect(authenticated, encrypted));
        exchange(connect(encrypted, authenticated));
    }

    private void exchange(Pair pair) {
        MemorySegment target = buffer(64);
        long received = pair.server().receive(target, 1);
        pair.client().send(pattern(64, 1), 1);
        completeOk(pair.server(), received);
        Pattern.verify(target, 0, 64, 1);
    }

    @Test
    @Semantics("E-05")
    void shouldTellBothSidesThatTheConnectorDoesWithoutTls() {
        secure(SecurityMode.ENCRYPTED);
        Side secured = newSide("secured");
        doWithoutSecurity();
        FairleadException refused = failureOf(newSide("plain"), secured);
        assertEquals(Reason.REFUSED, refused.reason());
        assertMentions("the connector does not speak TLS, and security.mode=encrypted at the listener", refused);
        assertEquals(0, secured.events().count(Event.Kind.CONNECTED));
    }

    @Test
    @Semantics("E-05")
    void shouldTellBothSidesThatTheListenerDoesWithoutTls() {
        doWithoutSecurity();
        Side plain = newSide("plain");
        secure(SecurityMode.ENCRYPTED);
        FairleadException refused = failureOf(newSide("secured"), plain);
        assertEquals(Reason.REFUSED, refused.reason());
        assertMentions("peer does not speak TLS", refused);
        assertMentions("security.mode=encrypted here", refused);
        assertEquals(0, plain.events().count(Event.Kind.CONNECTED));
    }

    @Test
    @Semantics("C-40")
    void shouldFailOnAListenerThatSpeaksBeforeTls() throws IOException {
        secure(SecurityMode.ENCRYPTED);
        Side connector = newSide("connector");
        try (RawListener fake = new RawListener()) {
            Endpoint endpoint = connector.connect(fake.address());
            RawPeer[] accepted = new RawPeer[1];
            driveUntil(server(), () -> (accepted[0] = fake.poll()) != null, "the kernel to connect");
            try (RawPeer peer = accepted[0]) {
                // There before the connector looks.
                peer.write("220 mail.example.org ESMTP\r\n".getBytes(StandardCharsets.US_ASCII));
                progressUntil(() -> connector.events().ended(endpoint), "the connector to see that");
            }
            assertEquals(
                    Reason.PROTOCOL_VIOLATION, endpoint.failure().orElseThrow().reason());
        }
    }

    @Test
    @Semantics("E-06")
    void shouldRefuseAPeerWithAnotherSecretAndGoOnWithOthers() {
        secure(SecurityMode.AUTHENTICATED);
        Pair pair = connect();
        FairleadConfig mine = config();
        reconfigure(SecuredTransport.secured(mine, SecurityMode.AUTHENTICATED, SecuredTransport.newSecretFile()));
        Side stranger = newSide("stranger");
        FairleadException refused = failureOf(stranger, server());
        assertEquals(Reason.UNTRUSTED, refused.reason());
        assertMentions("security.shared-secret-file", refused);
        FairleadException refusing = failureOf(client(), stranger);
        assertEquals(Reason.UNTRUSTED, refusing.reason());
        assertEquals(1, server().events().count(Event.Kind.CONNECTED), "the stranger is never told of");
        exchange(pair);
    }

    @Test
    @Semantics("E-07")
    void shouldLetNobodyReadNames() throws IOException {
        secure(SecurityMode.ENCRYPTED);
        try (Relay relay = new Relay(listener().address())) {
            exchangeText(relay);
            assertFalse(relay.heard(bytes("server")), "the listener's name");
            assertFalse(relay.heard(bytes("client")), "the connector's name");
        }
    }

    @Test
    @Semantics("E-07")
    void shouldLetNobodyReadMessagesOverTcp() throws IOException {
        assumeTrue(transport().pathClass() == PathClass.TCP, "messages do not go over TCP");
        secure(SecurityMode.ENCRYPTED);
        try (Relay relay = new Relay(listener().address())) {
            exchangeText(relay);
            assertFalse(relay.heard(bytes(TEXT)));
        }
        doWithoutSecurity();
        Side plain = newSide("plain server");
        try (Relay relay = new Relay(plain.listener().address())) {
            exchangeText(newSide("plain client"), plain, relay);
            assertTrue(relay.heard(bytes(TEXT)), "without security the relay reads it");
        }
    }

    private void exchangeText(Relay relay) {
        exchangeText(client(), server(), relay);
    }

    private void exchangeText(Side from, Side to, Relay relay) {
        to.listener();
        Endpoint endpoint = from.connect(relay.address());
        MemorySegment target = buffer(TEXT.length());
        long received = to.receive(target, 1, Worker.FULL_TAG_MASK);
        progressUntil(() -> endpoint.state() != EndpointState.CONNECTING, "the connector to be connected");
        assertEquals(EndpointState.CONNECTED, endpoint.state(), () -> String.valueOf(endpoint.failure()));
        MemorySegment text = buffer(TEXT.length());
        text.copyFrom(MemorySegment.ofArray(bytes(TEXT)));
        new End(from, endpoint).send(text, 1);
        progressUntil(() -> to.recorder().has(received), "the text to arrive");
        assertEquals(-1, target.mismatch(text));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    @Semantics("E-08")
    void shouldKeepDataOffAFabricThatNobodyTrusts() {
        secure(SecurityMode.ENCRYPTED);
        configure(ConfigKeys.SECURITY_TRUSTED_FABRIC, ConfigKeys.SECURITY_TRUSTED_FABRIC.defaultValue());
        Side wary = fabricSide("wary");
        secure(SecurityMode.AUTHENTICATED);
        Side trusting = fabricSide("trusting");
        for (Pair pair : List.of(connect(trusting, wary), connect(wary, trusting))) {
            for (End end : List.of(pair.client(), pair.server())) {
                var path = end.endpoint().path().orElseThrow();
                assertEquals(SpareProvider.NAME, path.transport());
                assertTrue(path.reason().contains("security.trusted-fabric"), path::reason);
            }
        }
    }

    @Test
    @Semantics("E-08")
    void shouldTakeAFabricThatBothTrust() {
        secure(SecurityMode.ENCRYPTED);
        Pair pair = connect(fabricSide("one"), fabricSide("two"));
        assertEquals(FABRIC, pair.client().endpoint().path().orElseThrow().transport());
    }

    private Side fabricSide(String name) {
        configure(ConfigKeys.TRANSPORTS, "");
        List<TransportProvider> both = List.of(new SpareProvider(FABRIC, PathClass.RDMA), new SpareProvider());
        return newSide(name, both);
    }

    @Test
    @Semantics("E-11")
    void shouldDemandAnIdentityOfAListener() throws IOException {
        assumeTrue(SecuredTransport.isAvailable(), "fairlead-security is not on the path");
        CertificateFolder keys = new CertificateFolder(folder);
        FairleadConfig plain = config();
        reconfigure(keys.certified(plain, "server", "server.example.org", "spiffe://example.org/server"));
        server();
        FairleadConfig mine = keys.certified(plain, "client", "client.example.org", "spiffe://example.org/client");
        for (String met : List.of("uri:spiffe://example.org/*", "dns:a.example.org, dns:server.example.org")) {
            reconfigure(SecuredTransport.with(mine, "security.peer-identity", met));
            exchange(connect(newSide("demanding"), server()));
        }
        reconfigure(SecuredTransport.with(mine, "security.peer-identity", "uri:spiffe://example.org/other"));

        FairleadException refused = failureOf(newSide("picky"), server());

        assertEquals(Reason.UNTRUSTED, refused.reason());
        assertMentions("wanted=uri:spiffe://example.org/other", refused);
        assertMentions("uris=[spiffe://example.org/server]", refused);
    }

    @Test
    @Semantics("E-12")
    void shouldConnectByEitherOfTwoSecrets() throws IOException {
        secure(SecurityMode.AUTHENTICATED);
        Path before = SecuredTransport.newSecretFile();
        Path after = SecuredTransport.newSecretFile();
        Path both = SecuredTransport.newSecretFile();
        Files.writeString(both, Files.readString(before) + Files.readString(after));
        FairleadConfig plain = config();
        reconfigure(SecuredTransport.secured(plain, SecurityMode.AUTHENTICATED, both));
        Side replacing = newSide("replacing");
        for (Path file : List.of(before, after)) {
            reconfigure(SecuredTransport.secured(plain, SecurityMode.AUTHENTICATED, file));
            exchange(connect(newSide("other"), replacing));
        }
        reconfigure(SecuredTransport.secured(plain, SecurityMode.AUTHENTICATED, before));
        exchange(connect(replacing, newSide("not yet")));
    }

    @Test
    @Semantics("E-09")
    void shouldEndConnectionsWhoseKeysHaveBeenReplaced() throws IOException {
        secure(SecurityMode.AUTHENTICATED);
        Path secret = SecuredTransport.newSecretFile();
        FairleadConfig changed = SecuredTransport.secured(config(), SecurityMode.AUTHENTICATED, secret);
        changed = SecuredTransport.with(changed, "security.reload-interval", "100 ms");
        reconfigure(SecuredTransport.with(changed, "security.connection-max-age", "1 ms"));
        Pair pair = connect();
        exchange(pair);
        SecuredTransport.replaceSecret(secret);
        progressUntil(
                () -> client().events().ended(pair.client().endpoint())
                        && server().events().ended(pair.server().endpoint()),
                "the connection to end");
        List<Reason> reasons = List.of(reason(pair.client()), reason(pair.server()));
        assertTrue(reasons.contains(Reason.EXPIRED), reasons::toString);
        assertTrue(List.of(Reason.EXPIRED, Reason.PEER_LOST).containsAll(reasons), reasons::toString);
        assertEquals(FairleadException.Advice.RECONNECT, new FairleadException(Reason.EXPIRED, "").advice());
    }

    @Test
    @Semantics("E-09")
    void shouldEndAConnectionWhosePeersCertificateHasExpired() throws IOException {
        assumeTrue(SecuredTransport.isAvailable(), "fairlead-security is not on the path");
        CertificateFolder keys = new CertificateFolder(folder);
        FairleadConfig base = SecuredTransport.with(config(), "security.reload-interval", "100 ms");
        reconfigure(keys.certified(base, "client", "client.example.org", "spiffe://example.org/client"));
        Side lasting = newSide("client");
        // Long enough to connect on a busy machine.
        reconfigure(keys.certified(
                base, "server", "server.example.org", "spiffe://example.org/server", Duration.ofSeconds(8)));
        Pair pair = connect(lasting, newSide("server"));
        exchange(pair);
        progressUntil(
                () -> pair.client().endpoint().failure().isPresent()
                        && pair.server().endpoint().failure().isPresent(),
                "the certificate to expire");
        assertEquals(Reason.EXPIRED, reason(pair.client()));
        assertMentions(
                "certificate has expired", pair.client().endpoint().failure().orElseThrow());
        assertEquals(Reason.PEER_LOST, reason(pair.server()));
    }

    /** Does something when the other side has proved who it is, while that waits. */
    private static final class Pausing implements Authorizer {
        private Runnable pause = () -> {};

        @Override
        public Verdict connect(PeerIdentity peer, InetSocketAddress source) {
            return resume();
        }

        @Override
        public Verdict listener(PeerIdentity peer, InetSocketAddress address) {
            return resume();
        }

        private Verdict resume() {
            Runnable once = pause;
            pause = () -> {};
            once.run();
            return Verdict.ALLOWED;
        }
    }

    @Test
    @Semantics("E-13")
    void shouldRefuseAConnectorThatIsRevokedBeforeItsHello() throws IOException {
        Revocable sides = revocable("server", "client");
        Pair before = connect(sides.paused(), sides.heeding());
        sides.pausing().pause = () -> {
            // The listener takes in all of TLS that the connector has said, and has nothing to do any more.
            for (int i = 0; i < 200; i++) {
                sides.heeding().progress();
                sides.heeding().worker().await(1_000_000);
            }
            sides.revoke(before.server());
        };

        FairleadException refused = failureOf(sides.paused(), sides.heeding());

        assertEquals(Reason.UNTRUSTED, refused.reason());
        assertMentions("revoked", refused);
        assertEquals(1, sides.heeding().events().count(Event.Kind.CONNECTED), "the revoked peer is never told of");
    }

    @Test
    @Semantics("E-13")
    void shouldRefuseAListenerThatIsRevokedBeforeItsWelcome() throws IOException {
        Revocable sides = revocable("client", "server");
        Pair before = connect(sides.heeding(), sides.paused());
        sides.pausing().pause = () -> sides.revoke(before.client());

        FairleadException refused = failureOf(sides.heeding(), sides.paused());

        assertEquals(Reason.UNTRUSTED, refused.reason());
        assertMentions("revoked", refused);
        assertEquals(1, sides.heeding().events().count(Event.Kind.CONNECTED), "the revoked peer is never told of");
    }

    /**
     * Two sides with certificates.
     *
     * @param heeding reads which certificates are revoked
     * @param paused has the certificate that will be
     * @param pausing pauses it in its handshakes
     * @param file names revoked certificates
     * @param line names that of the paused side
     */
    private record Revocable(Side heeding, Side paused, Pausing pausing, Path file, String line) {
        /** Revokes the paused side's certificate, which is in force when an endpoint that it has made before ends. */
        void revoke(End made) {
            try {
                Files.writeString(file, line);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (!heeding.events().ended(made.endpoint())) {
                heeding.progress();
                assertTrue(System.nanoTime() < deadline, "waited 60 s for the revocation");
            }
        }
    }

    private Revocable revocable(String heeding, String paused) throws IOException {
        assumeTrue(SecuredTransport.isAvailable(), "fairlead-security is not on the path");
        CertificateFolder keys = new CertificateFolder(folder);
        Path file = Files.writeString(folder.resolve("revoked"), "");
        FairleadConfig base = config();
        reconfigure(CertificateFolder.heeding(
                keys.certified(base, heeding, heeding + ".example.org", "spiffe://example.org/" + heeding), file));
        Side first = newSide(heeding);
        reconfigure(keys.certified(base, paused, paused + ".example.org", "spiffe://example.org/" + paused));
        Pausing pausing = new Pausing();
        authorize(pausing);
        return new Revocable(first, newSide(paused), pausing, file, keys.revocation(paused));
    }

    private static Reason reason(End end) {
        return end.endpoint().failure().orElseThrow().reason();
    }

    /** How connecting one side to another fails. */
    private FairleadException failureOf(Side from, Side to) {
        Endpoint endpoint = from.connect(to);
        progressUntil(() -> from.events().ended(endpoint), "the connector to fail");
        assertEquals(EndpointState.FAILED, endpoint.state());
        return endpoint.failure().orElseThrow();
    }
}
