package io.fairlead.discovery.zookeeper;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import io.fairlead.discovery.zookeeper.CountedSends.Call;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetObserver;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.discovery.Member;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Members are processes that are killed while messages and requests are sent to them; the registry drops them by itself. */
@Timeout(300)
final class KilledProcessesTest {
    private static final Logger LOG = LoggerFactory.getLogger(KilledProcessesTest.class);
    private static final int KILLS = 3;

    private final BlockingQueue<String> news = new LinkedBlockingQueue<>();

    private static Process start(String service, String member) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MemberProgram.class.getName(),
                        service,
                        member)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    void shouldLoseNothingThatCouldBeSentAgain(Call call) throws Exception {
        CountedSends sends = new CountedSends(call, 32);
        List<Process> processes = new ArrayList<>();
        FairleadConfig config = FairleadConfig.defaults()
                .with(ConfigKeys.NODE_NAME, "client")
                .with(ConfigKeys.TRANSPORTS, "tcp")
                .with(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(1))
                .with(NodeKeys.DISCOVERY_REFRESH_MIN, Duration.ofMillis(20));
        try (TestingServer registry = new TestingServer(true);
                Node client = Node.start(config)) {
            String service = "zk://127.0.0.1:" + registry.getPort() + "/feed";
            PeerSet set = client.peers(service, PeerSetOptions.defaults().withObserver(observer()))
                    .get(60, TimeUnit.SECONDS);
            processes.add(start(service, "member-0"));
            processes.add(start(service, "member-1"));
            awaitNews("connected member-0", "connected member-1");
            int sent = 0;
            for (int kill = 0; kill < KILLS; kill++) {
                sent += send(sends, set, 500);
                processes.get(kill).destroyForcibly();
                sent += send(sends, set, 500);
                processes.add(start(service, "member-" + (kill + 2)));
                awaitNews("connected member-" + (kill + 2), "gone member-" + kill);
                sent += send(sends, set, 500);
            }
            sends.awaitAll();
            LOG.info(
                    "call={}, kills={}, sent={}, delivered={}, lost with a name={}",
                    call,
                    KILLS,
                    sent,
                    sends.delivered,
                    sends.named);
            sends.assertAccounted(sent, KILLS);
        } finally {
            for (Process process : processes) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private PeerSetObserver observer() {
        return new PeerSetObserver() {
            private List<String> before = List.of();

            @Override
            public void changed(List<Member> members) {
                List<String> now = members.stream().map(Member::name).toList();
                before.stream().filter(name -> !now.contains(name)).forEach(name -> news.add("gone " + name));
                before = now;
            }

            @Override
            public void connected(Member member, Peer peer) {
                news.add("connected " + member.name());
            }
        };
    }

    private void awaitNews(String... wanted) throws InterruptedException {
        List<String> missing = new ArrayList<>(List.of(wanted));
        while (!missing.isEmpty()) {
            String next = news.poll(60, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("waited for " + missing);
            }
            missing.remove(next);
        }
    }

    private static int send(CountedSends sends, PeerSet set, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            sends.send(set, i);
        }
        return count;
    }
}
