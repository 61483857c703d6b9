package io.fairlead.discovery.zookeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.config.ConfigKeys;
import io.fairlead.discovery.zookeeper.CountedSends.Call;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSelection;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.Registration;
import io.fairlead.node.discovery.Member;
import io.fairlead.testkit.layers.discovery.RollingRestart;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Members die and move while messages and requests are sent to them: none is lost that could be sent again, and none is delivered twice. */
@Timeout(300)
final class MovingMembersTest {
    private static final int RESTARTS = Integer.getInteger("fairlead.test.restarts", 10);
    private static final Logger LOG = LoggerFactory.getLogger(MovingMembersTest.class);
    private static final int MESSAGES = 20_000;
    private static final int MEMBERS = 3;

    private final Set<Long> received = ConcurrentHashMap.newKeySet();
    private final AtomicInteger twice = new AtomicInteger();
    private String name = "";

    /** A member, its registration, and the connections that it has. */
    private final class Server {
        private final Node node;
        private final Listener listener;
        private final Registration registration;
        private final Queue<Peer> accepted = new ConcurrentLinkedQueue<>();

        Server(int number) throws Exception {
            node = Node.start(config("member-" + number));
            listener = node.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), accepted::add);
            for (int i = 0; i < 16; i++) {
                receiveNext();
            }
            node.serve(CountedSends.SERVICE_TAG, request -> {
                note(request);
                request.reply(new byte[0]);
            });
            registration = node.register(name, Member.of("member-" + number, listener.address()))
                    .get(60, TimeUnit.SECONDS);
        }

        private void receiveNext() {
            CompletableFuture<Void> _ = node.receive(CountedSends.MESSAGE_TAG).thenAccept(message -> {
                note(message);
                receiveNext();
            });
        }

        private void note(Message message) {
            if (!received.add(message.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 0))) {
                twice.incrementAndGet();
            }
        }

        /** As a process that dies: no goodbye, and an entry that stays for a while. */
        void kill() {
            listener.close();
            accepted.forEach(Peer::abort);
            node.close();
        }

        /** As a service that is moved: it leaves the registry, and goes when it has been given nothing more. */
        void leave() {
            registration.close();
            node.close();
        }
    }

    private static FairleadConfig config(String nodeName) {
        return FairleadConfig.defaults()
                .with(ConfigKeys.NODE_NAME, nodeName)
                .with(ConfigKeys.TRANSPORTS, "tcp")
                .with(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(1))
                .with(NodeKeys.DISCOVERY_REFRESH_MIN, Duration.ofMillis(20));
    }

    @ParameterizedTest
    @CsvSource({"ROUND_ROBIN, SEND", "LEAST_IN_FLIGHT, SEND", "ROUND_ROBIN, REQUEST", "LEAST_IN_FLIGHT, REQUEST"})
    void shouldLoseNothingThatCouldBeSentAgain(PeerSelection selection, Call call) throws Exception {
        try (TestingServer registry = new TestingServer(true);
                Node client = Node.start(config("client"))) {
            name = "zk://127.0.0.1:" + registry.getPort() + "/feed";
            List<Server> servers = new ArrayList<>();
            for (int i = 0; i < MEMBERS; i++) {
                servers.add(new Server(i));
            }
            PeerSet set = client.peers(
                            name,
                            PeerSetOptions.defaults()
                                    .withSelection(selection)
                                    .withPauses(Duration.ofMillis(5), Duration.ofMillis(50)))
                    .get(60, TimeUnit.SECONDS);
            CountedSends sends = new CountedSends(call, 64);
            int changes = 0;
            for (long id = 0; id < MESSAGES; id++) {
                if (id % 2_000 == 1_999) {
                    changes++;
                    Server old = servers.removeFirst();
                    if (changes % 2 == 0) {
                        servers.add(new Server(MEMBERS + changes));
                        old.leave();
                    } else {
                        old.kill();
                        servers.add(new Server(MEMBERS + changes));
                    }
                }
                sends.send(set, id);
            }
            sends.awaitAll();
            LOG.info(
                    "selection={}, call={}, changes={}, sent={}, delivered={}, lost with a name={}, received={}",
                    selection,
                    call,
                    changes,
                    MESSAGES,
                    sends.delivered,
                    sends.named,
                    received.size());
            sends.assertAccounted(MESSAGES, changes);
            assertEquals(0, twice.get(), "messages received twice");
            // What was lost with a name may have been received; what was delivered has been.
            awaitReceived(sends.delivered.get());
            assertTrue(received.size() <= MESSAGES);
            set.close();
            servers.forEach(Server::leave);
        }
    }

    /** Matched is not yet noted. */
    private void awaitReceived(int least) throws InterruptedException {
        Semaphore never = new Semaphore(0);
        for (int i = 0; received.size() < least && i < 600; i++) {
            boolean _ = never.tryAcquire(100, TimeUnit.MILLISECONDS);
        }
        assertTrue(received.size() >= least, "received=" + received.size() + ", delivered=" + least);
    }

    @Test
    void shouldLoseNoRequestWhenMembersRestart() throws Exception {
        try (TestingServer registry = new TestingServer(true)) {
            name = "zk://" + registry.getConnectString() + "/restarts";
            List<Throwable> failed = RollingRestart.run(
                    RESTARTS,
                    FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "tcp"),
                    new RollingRestart.Registry() {
                        @Override
                        public void started(int index, Node node, InetSocketAddress address) throws Exception {
                            node.register(name, Member.of("member-" + index, address))
                                    .get(60, TimeUnit.SECONDS);
                        }
                    },
                    new InetSocketAddress("127.0.0.1", 0),
                    new InetSocketAddress("127.0.0.1", 0),
                    _ -> name);
            assertEquals(List.of(), failed);
        }
    }
}
