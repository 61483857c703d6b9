package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MemoryRegion;
import io.fairlead.PeerIdentity;
import io.fairlead.SecurityMode;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may connect, by the application's {@link Authorizer}, a file of rules, and limits. */
public class AccessContract extends TransportContract {
    /** Changes its mind while peers are connected. */
    private static final class Moody implements Authorizer {
        private volatile Verdict verdict = Verdict.ALLOWED;

        @Override
        public Verdict connect(PeerIdentity peer, InetSocketAddress source) {
            return verdict;
        }
    }

    /** Decides which listeners to use. */
    private static final class Picky implements Authorizer {
        private final List<String> hosts = new ArrayList<>();
        private volatile Verdict verdict = Verdict.ALLOWED;

        @Override
        public Verdict connect(PeerIdentity peer, InetSocketAddress source) {
            return Verdict.ALLOWED;
        }

        @Override
        public Verdict listener(PeerIdentity peer, InetSocketAddress address) {
            hosts.add(address.getAddress().getHostAddress());
            return verdict;
        }
    }

    @TempDir
    Path folder;

    private int changes;

    /** Creates the suite. */
    protected AccessContract() {}

    @Test
    @Semantics("A-01")
    void shouldRefuseAPeerThatMayNotConnectAndTellItWhy() {
        Moody authorizer = new Moody();
        authorize(authorizer);
        server();
        authorize(Authorizer.ALL);
        Pair served = connect();
        authorizer.verdict = Authorizer.Verdict.refused("no\nmore room");

        Endpoint refused = client().connect(server());

        awaitEnd(refused);
        FairleadException failure = refused.failure().orElseThrow();
        assertEquals(Reason.REFUSED, failure.reason());
        String message = String.valueOf(failure.getMessage());
        String expected = "not allowed to connect: identity="
                + served.server().endpoint().peerIdentity() + ", source=127.0.0.1; no more room";
        assertTrue(message.endsWith(expected), message);
        assertEquals(1, server().events().count(Event.Kind.CONNECTED));
        assertServes(served);
        authorizer.verdict = Authorizer.Verdict.ALLOWED;
        assertServes(connect());
    }

    @Test
    @Semantics("A-02")
    void shouldRefuseEverybodyWhileTheAuthorizerThrows() {
        boolean[] throwing = {true};
        authorize((_, _) -> {
            if (throwing[0]) {
                throw new IllegalStateException("thrown by a case on purpose");
            }
            return Authorizer.Verdict.ALLOWED;
        });
        server();
        authorize(Authorizer.ALL);

        Endpoint refused = client().connect(server());

        awaitEnd(refused);
        assertEquals(Reason.REFUSED, refused.failure().orElseThrow().reason());
        throwing[0] = false;
        assertServes(connect());
    }

    @Test
    @Semantics("A-03")
    void shouldNotAskTheConnectorsOwnAuthorizerWhetherItMayConnect() {
        server();
        authorize((_, _) -> Authorizer.Verdict.refused("nobody connects here"));

        assertServes(connect());
    }

    @Test
    @Semantics("A-04")
    void shouldRefuseAnAddressWithAsManyConnectionsAsItMayHave() {
        configure(ConfigKeys.SOURCE_CONNECTIONS_MAX, 2);
        Pair first = connect();
        Pair second = connect();

        Endpoint refused = client().connect(server());

        awaitEnd(refused);
        FairleadException failure = refused.failure().orElseThrow();
        assertEquals(Reason.LIMIT_REACHED, failure.reason());
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.contains("source.connections-max=2"), message);
        assertServes(first);
        second.client().endpoint().startClose();
        progressUntil(() -> server().events().ended(second.server().endpoint()), "the server to see the close");
        assertServes(connect());
    }

    @Test
    @Semantics("A-05")
    void shouldEndConnectionsThatChangedRulesDoNotAllow() throws IOException {
        Path file = folder.resolve("acl.conf");
        change(file, "rules = [ { identity = \"*\", connect = true, messages = true } ]");
        configure(ConfigKeys.SECURITY_ACL, file.toString());
        configure(ConfigKeys.SECURITY_ACL_INTERVAL, Duration.ofMillis(10));
        server();
        configure(ConfigKeys.SECURITY_ACL, "");
        Pair pair = connect();
        assertServes(pair);

        change(file, "rules = [ { identity = \"*\", connect = false } ]");

        awaitEnd(pair.client().endpoint());
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the server's end to be told");
        FairleadException failure = pair.server().endpoint().failure().orElseThrow();
        assertEquals(Reason.REFUSED, failure.reason());
        Endpoint again = client().connect(server());
        awaitEnd(again);
        assertEquals(Reason.REFUSED, again.failure().orElseThrow().reason());
    }

    @Test
    @Semantics("A-06")
    void shouldOpenNoContextWithBrokenRules() throws IOException {
        Path file = Files.writeString(folder.resolve("acl.conf"), "rules = [ { identity = \"*\", conect = true } ]");
        configure(ConfigKeys.SECURITY_ACL, file.toString());

        FairleadException failure = assertThrows(FairleadException.class, () -> newSide("broken"));

        assertEquals(Reason.CONFIGURATION, failure.reason());
        assertEquals(
                "access file: unknown key: key=conect, did you mean connect? (" + file + ":1)", failure.getMessage());
    }

    @Test
    @Semantics("A-07")
    void shouldKeepTheLabelOfARegion() {
        MemoryRegion labelled = server().context().allocate(64, Set.of(AccessRight.READ), "cache/1");
        MemoryRegion plain = server().context().allocate(64, Set.of(AccessRight.READ));

        assertEquals("cache/1", labelled.label());
        assertEquals("", plain.label());
    }

    @Test
    @Semantics("A-08")
    void shouldRefuseHandshakesOfAnAddressThatBeginsTooMany() {
        configure(ConfigKeys.SOURCE_HANDSHAKE_RATE, 1);
        Pair served = connect();
        Endpoint refused = client().connect(server());
        awaitDecision(refused);
        // Each may fall into another second than the one before, where the machine is busy.
        while (refused.state() == EndpointState.CONNECTED) {
            refused = client().connect(server());
            awaitDecision(refused);
        }

        FairleadException failure = refused.failure().orElseThrow();

        assertEquals(Reason.LIMIT_REACHED, failure.reason());
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.contains("source=127.0.0.1, source.handshake-rate=1 a second"), message);
        assertServes(served);
        Endpoint later = refused;
        while (later.state() != EndpointState.CONNECTED) {
            later = client().connect(server());
            awaitDecision(later);
        }
    }

    @Test
    @Semantics("A-09")
    void shouldRefuseAnAddressOverItsLimitBeforeTls() {
        assumeTrue(SecuredTransport.isAvailable(), "fairlead-security is not on the path");
        reconfigure(SecuredTransport.secured(config(), SecurityMode.AUTHENTICATED));
        configure(ConfigKeys.SOURCE_CONNECTIONS_MAX, 1);
        CountedSecurity counted = new CountedSecurity();
        Side server = counted.during(() -> newSide("counted server"));
        configure(ConfigKeys.SOURCE_CONNECTIONS_MAX, 0);
        Pair served = connect(client(), server);
        assertEquals(1, counted.engines());

        Endpoint refused = client().connect(server);

        awaitEnd(refused);
        FairleadException failure = refused.failure().orElseThrow();
        assertEquals(Reason.LIMIT_REACHED, failure.reason());
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.startsWith("peer refused the connection before TLS: peer="), message);
        assertTrue(message.contains("source.connections-max=1"), message);
        assertEquals(1, counted.engines(), "engines of TLS at the listener");
        assertServes(served);
    }

    @Test
    @Semantics("A-10")
    void shouldLetPeersInByTheDnsNamesOfTheirCertificates() throws IOException {
        authorize((peer, _) -> peer.dnsNames().contains("feed.example.org")
                ? Authorizer.Verdict.ALLOWED
                : Authorizer.Verdict.refused("no feed"));
        assertAdmitsFeedsAlone("; no feed");
    }

    @Test
    @Semantics("A-10")
    void shouldLetPeersInByRulesAboutTheDnsNamesOfTheirCertificates() throws IOException {
        Path file = folder.resolve("acl.conf");
        change(file, "rules = [ { identity = \"dns:feed.example.org\", connect = true, messages = true } ]");
        configure(ConfigKeys.SECURITY_ACL, file.toString());
        assertAdmitsFeedsAlone("acl.conf");
    }

    /** The server that is made here asks the authorizer and the file of now. */
    private void assertAdmitsFeedsAlone(String reason) throws IOException {
        assumeTrue(SecuredTransport.isAvailable(), "fairlead-security is not on the path");
        CertificateFolder keys = new CertificateFolder(folder);
        FairleadConfig base = config();
        reconfigure(keys.certified(base, "server", "server.example.org", "spiffe://example.org/server"));
        server();
        configure(ConfigKeys.SECURITY_ACL, "");
        authorize(Authorizer.ALL);
        FairleadConfig plain = config();
        reconfigure(keys.certified(plain, "feed", "feed.example.org", "spiffe://example.org/feed"));
        Pair served = connect(newSide("feed"), server());
        reconfigure(keys.certified(plain, "cache", "cache.example.org", "spiffe://example.org/cache"));

        Endpoint refused = newSide("cache").connect(server());

        awaitEnd(refused);
        FairleadException failure = refused.failure().orElseThrow();
        assertEquals(Reason.REFUSED, failure.reason());
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.contains("not allowed to connect: identity=spiffe://example.org/cache, source="), message);
        assertTrue(message.contains(reason), message);
        assertServes(served);
    }

    @Test
    @Semantics("A-24")
    void shouldAskTheConnectorsAuthorizerAboutTheListener() {
        server();
        Picky picky = new Picky();
        authorize(picky);
        Pair served = connect();
        assertServes(served);
        assertEquals(List.of("127.0.0.1"), picky.hosts);
        picky.verdict = Authorizer.Verdict.refused("not the one that was meant");

        Endpoint refused = client().connect(server());

        awaitEnd(refused);
        FairleadException failure = refused.failure().orElseThrow();
        assertEquals(Reason.UNTRUSTED, failure.reason());
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.startsWith("not allowed to use this listener: identity="), message);
        assertTrue(message.endsWith("; not the one that was meant"), message);
        assertServes(served);
        assertEquals(1, server().events().count(Event.Kind.CONNECTED));
    }

    @Test
    @Semantics("A-24")
    void shouldUseNoListenerThatNoRuleIsAbout() throws IOException {
        server();
        Path file = folder.resolve("acl.conf");
        change(file, "rules = [ { identity = \"*\", connect = false, messages = true } ]");
        configure(ConfigKeys.SECURITY_ACL, file.toString());
        configure(ConfigKeys.SECURITY_ACL_INTERVAL, Duration.ofMillis(10));
        Pair served = connect();
        assertServes(served);

        change(file, "rules = []");

        awaitEnd(served.client().endpoint());
        assertEquals(
                Reason.UNTRUSTED,
                served.client().endpoint().failure().orElseThrow().reason());
    }

    @Test
    @Semantics("A-25")
    void shouldEndThePeerThatSendsMessagesWithoutTheRight() throws IOException {
        Path file = folder.resolve("acl.conf");
        change(file, "rules = [ { identity = \"*\", connect = true } ]");
        configure(ConfigKeys.SECURITY_ACL, file.toString());
        configure(ConfigKeys.SECURITY_ACL_INTERVAL, Duration.ofMillis(10));
        Side strict = newSide("strict");
        change(folder.resolve("open.conf"), "rules = [ { identity = \"*\", connect = true, messages = true } ]");
        configure(ConfigKeys.SECURITY_ACL, folder.resolve("open.conf").toString());
        server();
        configure(ConfigKeys.SECURITY_ACL, "");
        Pair open = connect();
        Pair closed = connect(client(), strict);
        long received = closed.server().receive(buffer(8), 7);

        closed.client().send(buffer(8), 7);

        awaitEnd(closed.client().endpoint());
        progressUntil(() -> strict.events().ended(closed.server().endpoint()), "the receiver's end to be told");
        FairleadException failure = closed.server().endpoint().failure().orElseThrow();
        assertEquals(Reason.REFUSED, failure.reason());
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.startsWith("the peer is not allowed to send messages: endpoint="), message);
        assertTrue(message.contains("under messages"), message);
        progressUntil(() -> strict.recorder().has(received), "the receive to end");
        assertTrue(strict.recorder().outcome(received).status() != Status.OK, "the message is received all the same");
        assertServes(open);
    }

    private void change(Path file, String text) throws IOException {
        Path made = Files.writeString(folder.resolve("made"), text);
        // Times of files are coarse, and the two changes may follow each other at once.
        Files.setLastModifiedTime(made, FileTime.fromMillis(2_000_000_000_000L + ++changes * 1000L));
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void awaitDecision(Endpoint endpoint) {
        progressUntil(() -> endpoint.state() != EndpointState.CONNECTING, "the endpoint to be connected or refused");
    }

    private void awaitEnd(Endpoint endpoint) {
        progressUntil(
                () -> endpoint.state() == EndpointState.FAILED || endpoint.state() == EndpointState.CLOSED,
                "the endpoint to end");
    }

    private void assertServes(Pair pair) {
        pair.server().receive(buffer(8), 7);
        completeOk(pair.client(), pair.client().sendSynchronous(buffer(8), 7));
    }
}
