package io.fairlead.cli.soak;

import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.cli.soak.Round.Incident;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestException;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceRequest;
import io.fairlead.spi.host.HostPort;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Requests to a service of the member, with deadlines and cancellations; the service keeps a list of those that it has seen. */
final class RequestScenario implements Scenario {
    private static final long SERVICE = 1;
    private static final int REQUESTS_MAX = 2000;
    private static final int IN_FLIGHT = 64;
    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED;

    @Override
    public String label() {
        return "requests";
    }

    /** The service: it answers with what it is asked, and never runs twice for one request. */
    private static final class Echo {
        private final Tally tally;
        private final BitSet seen = new BitSet();

        Echo(Tally tally) {
            this.tally = tally;
        }

        void handle(ServiceRequest request) {
            int number = (int) request.segment().get(NUMBER, 0);
            synchronized (this) {
                if (seen.get(number)) {
                    tally.fault("a request was served twice: number=%d", number);
                }
                seen.set(number);
            }
            tally.count();
            request.reply(request.bytes());
        }

        synchronized String list() {
            return HexFormat.of().formatHex(seen.toByteArray());
        }
    }

    @Override
    public void serve(Round round, FairleadConfig config, ParentLink parent, Tally tally) throws InterruptedException {
        Echo echo = new Echo(tally);
        try (Node node = Node.start(config)) {
            Service service = node.serve(SERVICE, echo::handle);
            Listener listener = node.listen("127.0.0.1:0", peer -> {});
            parent.ready(Integer.toString(listener.address().getPort()));
            while (!parent.isOver()) {
                switch (parent.awaitOrder(TimeUnit.SECONDS.toMillis(SoakMember.LIMIT_S))) {
                    case MemberLine.WITHDRAW -> service.close();
                    case MemberLine.SEEN -> parent.answer(MemberLine.SEEN_LIST, echo.list());
                    default -> {}
                }
            }
        }
    }

    /** The requests of a round, and what became of each. Callbacks come on the node's threads. */
    private static final class Calls {
        private final Round round;
        private final Tally tally;
        private final Semaphore window = new Semaphore(IN_FLIGHT);
        private final AtomicInteger ended = new AtomicInteger();
        private int posted;
        /** Those of which the caller was told that no handler has run. */
        private final ConcurrentHashMap<Integer, String> notRun = new ConcurrentHashMap<>();

        Calls(Round round, Tally tally) {
            this.round = round;
            this.tally = tally;
        }

        void call(Peer peer, int number, SplittableRandom random) throws InterruptedException {
            if (!window.tryAcquire(SoakMember.LIMIT_S, TimeUnit.SECONDS)) {
                tally.fault("requests hang: ended=%d of %d", ended.get(), posted);
                return;
            }
            posted++;
            byte[] message = new byte[Long.BYTES + random.nextInt(random.nextInt(10) == 0 ? 100_000 : 200)];
            random.nextBytes(message);
            MemorySegment.ofArray(message).set(NUMBER, 0, number);
            boolean impatient = random.nextInt(20) == 0;
            CompletableFuture<Message> answer =
                    peer.request(message, SERVICE, impatient ? Duration.ofMillis(1) : Duration.ofSeconds(20));
            CompletableFuture<?> _ = answer.whenComplete((reply, failure) -> {
                judge(number, message, reply, failure, impatient);
                ended.incrementAndGet();
                window.release();
            });
            if (random.nextInt(20) == 0) {
                answer.cancel(true);
            }
        }

        private void judge(
                int number, byte[] message, @Nullable Message reply, @Nullable Throwable failure, boolean impatient) {
            tally.count();
            if (reply != null) {
                if (MemorySegment.ofArray(reply.bytes()).mismatch(MemorySegment.ofArray(message)) >= 0) {
                    tally.fault("a reply is another one's: number=%d, length=%d", number, reply.length());
                }
                reply.close();
                return;
            }
            tally.countFailure();
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            boolean cancelled = cause instanceof CancellationException;
            if (cause instanceof RequestException request && request.isSafeToRetry()) {
                notRun.put(number, String.valueOf(request.getMessage()));
            }
            if (round.incident() == Incident.NONE && !cancelled && !impatient) {
                tally.fault(
                        "a request failed although nothing went wrong: number=%d, %s", number, String.valueOf(cause));
            }
        }

        void awaitAll() throws InterruptedException {
            if (!window.tryAcquire(IN_FLIGHT, SoakMember.LIMIT_S, TimeUnit.SECONDS)) {
                tally.fault("requests hang: ended=%d of %d", ended.get(), posted);
            }
        }

        void compare(BitSet seen) {
            notRun.forEach((number, why) -> {
                if (seen.get(number)) {
                    tally.fault("a request that was called safe to repeat has been served: number=%d, %s", number, why);
                }
            });
        }
    }

    @Override
    public void run(Round round, FairleadConfig config, SoakMember member, Tally tally) throws Exception {
        String port = member.begin(round);
        SplittableRandom random = round.random("requests");
        int requests = 1 + random.nextInt(REQUESTS_MAX);
        int due = random.nextInt(requests);
        Calls calls = new Calls(round, tally);
        PathPolicy policy = config.value(ConfigKeys.POLICY);
        try (Node node = Node.start(config)) {
            Peer peer = node.connect(HostPort.resolve("127.0.0.1:" + port, 1), policy, ReconnectPolicy.NEVER)
                    .get(SoakMember.LIMIT_S, TimeUnit.SECONDS);
            for (int number = 0; number < requests; number++) {
                if (number == due) {
                    member.happen(round, peer::close, peer::abort);
                }
                calls.call(peer, number, random);
            }
            calls.awaitAll();
            if (member.isAlive()) {
                String seen = member.ask(MemberLine.SEEN, MemberLine.SEEN_LIST);
                calls.compare(BitSet.valueOf(HexFormat.of().parseHex(seen)));
            }
        }
    }
}
