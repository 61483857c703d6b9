package io.fairlead.discovery.dns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetObserver;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.testkit.OutsideServer;
import io.fairlead.testkit.layers.discovery.RollingRestart;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Names that a real dnsmasq knows, which the test starts and ends. */
@Timeout(120)
final class DnsmasqTest {
    private static final int RESTARTS = Integer.getInteger("fairlead.test.restarts", 10);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private final List<AutoCloseable> closing = new ArrayList<>();
    private final BlockingQueue<String> news = new LinkedBlockingQueue<>();
    private int port;
    private Path hosts = Path.of("");

    @BeforeEach
    void choosePort() throws IOException {
        hosts = folder.resolve("hosts");
        Files.writeString(hosts, "");
        // It listens to both protocols at one port.
        try (ServerSocket tcp = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                DatagramSocket _ = new DatagramSocket(tcp.getLocalPort(), InetAddress.getLoopbackAddress())) {
            port = tcp.getLocalPort();
        }
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : closing.reversed()) {
            each.close();
        }
    }

    private OutsideServer dnsmasq(String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "--keep-in-foreground",
                "--no-resolv",
                "--no-hosts",
                "--conf-file=/dev/null",
                "--listen-address=127.0.0.1",
                "--bind-interfaces",
                "--port=" + port,
                "--user=root",
                "--pid-file=",
                "--log-facility=-",
                "--local=/prod/",
                "--addn-hosts=" + hosts));
        arguments.addAll(List.of(more));
        OutsideServer server = OutsideServer.start("dnsmasq", folder.resolve("output"), arguments);
        closing.add(server);
        server.awaitOutput("read " + hosts);
        return server;
    }

    private ServiceName name(String target) {
        return ServiceName.parse("dns://127.0.0.1:" + port + "/" + target);
    }

    private Resolution resolve(String target) throws InterruptedException {
        return resolve(target, LONG);
    }

    private Resolution resolve(String target, Duration timeout) throws InterruptedException {
        DiscoveryContext context = new DiscoveryContext(FairleadConfig.defaults(), Duration.ofSeconds(10), () -> {});
        return new DnsProvider().resolver(name(target), context).resolve(timeout);
    }

    private static Set<String> texts(Resolution resolution) {
        return resolution.members().stream().map(Member::toString).collect(Collectors.toSet());
    }

    @Test
    void shouldFindAddressesOfBothFamiliesForTheirTtl() throws Exception {
        Files.writeString(hosts, "10.0.0.1 feed.prod\n10.0.0.2 feed.prod\n2001:db8::1 feed.prod\n");
        dnsmasq("--local-ttl=7", "--cname=alias.prod,feed.prod");
        Resolution found = resolve("feed.prod:7400");
        assertEquals(Set.of("10.0.0.1:7400", "10.0.0.2:7400", "[2001:db8:0:0:0:0:0:1]:7400"), texts(found));
        assertEquals(Duration.ofSeconds(7), found.validFor());
        assertEquals(texts(found), texts(resolve("feed.prod.:7400")));
        assertEquals(texts(found), texts(resolve("alias.prod:7400")));
        assertEquals(Set.of("feed.prod"), hosts(found));
    }

    /** A connector demands the host of a member in its certificate, and whoever forges an answer would choose the name of an alias or of a target. */
    @Test
    void shouldKeepTheNameThatWasAskedForWhateverTheAnswerNames() throws Exception {
        Files.writeString(hosts, "10.0.0.1 evil.prod\n");
        dnsmasq("--local-ttl=9", "--cname=feed.prod,evil.prod", "--srv-host=_feed._tcp.shop.prod,evil.prod,7401,10");
        assertEquals(Set.of("feed.prod"), hosts(resolve("feed.prod:7400")));
        assertEquals(Set.of("feed.prod"), hosts(resolve("feed.prod.:7400")));
        assertEquals(Set.of("shop.prod"), hosts(resolve("_feed._tcp.shop.prod")));
    }

    private static Set<String> hosts(Resolution resolution) {
        return resolution.members().stream()
                .map(member -> member.address().getHostString())
                .collect(Collectors.toSet());
    }

    @Test
    void shouldFindServicesWithPortsAndPriorities() throws Exception {
        Files.writeString(hosts, "10.0.0.1 a.prod\n10.0.0.2 b.prod\n");
        dnsmasq(
                "--local-ttl=9",
                "--srv-host=_feed._tcp.prod,a.prod,7401,10",
                "--srv-host=_feed._tcp.prod,b.prod,7402,20",
                "--srv-host=_none._tcp.prod");
        Resolution found = resolve("_feed._tcp.prod");
        assertEquals(Set.of("a.prod:7401 at 10.0.0.1:7401", "b.prod:7402 at 10.0.0.2:7402"), texts(found));
        assertEquals(
                Set.of(10, 20), found.members().stream().map(Member::priority).collect(Collectors.toSet()));
        // A service that is decidedly not there has no members.
        assertEquals(List.of(), resolve("_none._tcp.prod").members());
    }

    @Test
    void shouldAskByTcpForWhatIsTooLongForUdp() throws Exception {
        StringBuilder lines = new StringBuilder();
        for (int i = 1; i <= 60; i++) {
            lines.append("10.0.1.").append(i).append(" many.prod\n");
        }
        Files.writeString(hosts, lines);
        dnsmasq("--local-ttl=3");
        assertEquals(60, resolve("many.prod:1").members().size());
    }

    @Test
    void shouldRefuseNamesThatNobodyKnows() throws Exception {
        Files.writeString(hosts, "10.0.0.1 feed.prod\n");
        dnsmasq();
        FairleadException unknown = assertThrows(FairleadException.class, () -> resolve("fed.prod:7400"));
        assertEquals(Reason.UNKNOWN_HOST, unknown.reason());
        assertFalse(unknown.getMessage().contains("\n"));
        assertTrue(unknown.getMessage().contains("fed.prod:7400"), unknown::getMessage);
        // dnsmasq has no TTL by itself.
        assertEquals(Duration.ZERO, resolve("feed.prod:7400").validFor());
    }

    @Test
    void shouldFailWithoutAServer() {
        FairleadException silent = assertThrows(FairleadException.class, () -> resolve("feed.prod:7400", SHORT));
        assertEquals(Reason.TIMED_OUT, silent.reason());
        assertTrue(silent.getMessage().contains("servers=1"), silent::getMessage);
    }

    @Test
    void shouldRefuseMalformedNames() {
        for (String malformed : List.of("feed", "feed:0", "feed:x", ":1", "a..b:1", "_feed..x")) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> resolve(malformed), malformed);
            assertTrue(refused.getMessage().contains("; write dns:HOST:PORT"), refused::getMessage);
        }
    }

    @Test
    void shouldFollowARecordThatMoves() throws Exception {
        Node first = node("first");
        int service = listen(first, new InetSocketAddress("127.0.0.1", 0));
        Node second = node("second");
        listen(second, new InetSocketAddress("127.0.0.2", service));
        Files.writeString(hosts, "127.0.0.1 feed.prod\n");
        OutsideServer server = dnsmasq("--local-ttl=0");
        Node client = node("client");
        String target = name("feed.prod:" + service).toString();
        Peer direct = client.connect(target).get(60, TimeUnit.SECONDS);
        assertEquals("first", direct.name());
        PeerSet set = client.peers(target, PeerSetOptions.defaults().withObserver(new PeerSetObserver() {
                    @Override
                    public void changed(List<Member> members) {
                        news.add("changed " + members);
                    }

                    @Override
                    public void connected(Member member, Peer peer) {
                        news.add("connected " + peer.name());
                    }

                    @Override
                    public void unresolved(FairleadException cause) {
                        news.add("unresolved " + cause.reason());
                    }
                }))
                .get(60, TimeUnit.SECONDS);
        awaitNews("connected first");
        Files.writeString(hosts, "127.0.0.2 feed.prod\n");
        hangUp(server);
        awaitNews("connected second");
        set.send(new byte[4], 1).get(60, TimeUnit.SECONDS);
        assertEquals(4, second.receive(1).get(60, TimeUnit.SECONDS).length());
        server.close();
        awaitNews("unresolved TIMED_OUT");
        // The last members stay.
        set.send(new byte[5], 1).get(60, TimeUnit.SECONDS);
        assertEquals(5, second.receive(1).get(60, TimeUnit.SECONDS).length());
        Files.writeString(hosts, "127.0.0.1 feed.prod\n127.0.0.2 feed.prod\n");
        dnsmasq("--local-ttl=0");
        awaitNews("connected first");
        assertTrue(set.failure().isEmpty());
    }

    private static void hangUp(OutsideServer server) throws Exception {
        assertEquals(
                0,
                new ProcessBuilder("kill", "-HUP", Long.toString(server.pid()))
                        .start()
                        .waitFor());
    }

    private void awaitNews(String wanted) throws InterruptedException {
        List<String> seen = new ArrayList<>();
        for (String next = ""; !next.equals(wanted); seen.add(next)) {
            next = news.poll(60, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("waited for " + wanted + ", seen " + seen);
            }
        }
    }

    private Node node(String nodeName) {
        Node node = Node.start(FairleadConfig.defaults()
                .with(ConfigKeys.NODE_NAME, nodeName)
                .with(ConfigKeys.TRANSPORTS, "tcp")
                .with(NodeKeys.DISCOVERY_TIMEOUT, Duration.ofSeconds(1))
                .with(NodeKeys.DISCOVERY_REFRESH_MIN, Duration.ofMillis(50)));
        closing.add(node);
        return node;
    }

    private static int listen(Node node, InetSocketAddress address) {
        return node.listen(address, _ -> {}).address().getPort();
    }

    /** DNS goes on naming both: callers know what leaves from the members themselves. */
    @Test
    void shouldLoseNoRequestWhenMembersRestart() throws Exception {
        Files.writeString(hosts, "127.0.0.1 feed.prod\n127.0.0.2 feed.prod\n");
        dnsmasq("--local-ttl=1");
        int members = freePort();
        List<Throwable> failed = RollingRestart.run(
                RESTARTS,
                FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "tcp"),
                new RollingRestart.Registry() {},
                new InetSocketAddress("127.0.0.1", members),
                new InetSocketAddress("127.0.0.2", members),
                _ -> name("feed.prod:" + members).toString());
        assertEquals(List.of(), failed);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
