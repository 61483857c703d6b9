package io.fairlead.system.network;

import io.fairlead.PathPolicy;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestOptions;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.BitSet;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Requests with numbers, and the service that answers them. One that is called safe to send again is sent again. A number that the service sees
 * twice is then a request that was handled twice, or one that was called safe and was not.
 */
final class NumberedRequests {
    private static final long SERVICE = 1;
    private static final int WINDOW = 32;
    private static final int LENGTH = 4000;
    private static final ValueLayout.OfInt NUMBER = ValueLayout.JAVA_INT_UNALIGNED;
    private static final RequestOptions OPTIONS =
            RequestOptions.within(Duration.ofMinutes(2)).waitingForConnection();

    private final Semaphore window = new Semaphore(WINDOW);
    private final Queue<Integer> again = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean failing = new AtomicBoolean();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();
    private final RoundTrips roundTrips = new RoundTrips();
    private int posted;

    /** The service. */
    static final class Echo {
        private final BitSet seen = new BitSet();

        static void listen(Node node, InetSocketAddress address) {
            node.serve(SERVICE, new Echo()::handle);
            node.listen(address, _ -> {});
        }

        private void handle(ServiceRequest request) {
            int number = request.segment().get(NUMBER, 0);
            synchronized (this) {
                if (seen.get(number)) {
                    Report.say("violation handled twice: number=" + number);
                }
                seen.set(number);
            }
            request.reply(request.bytes());
        }
    }

    /** Requests that have been answered. */
    long answered() {
        return answered.get();
    }

    /** Requests that failed without saying whether they were handled. */
    long unknown() {
        return unknown.get();
    }

    /** How long answers take. */
    RoundTrips roundTrips() {
        return roundTrips;
    }

    /** Sends up to two requests a millisecond, and fewer while too many are in flight. */
    void start(Node node, InetSocketAddress address, Clock clock) throws Exception {
        Peer peer = node.connect(address, PathPolicy.TCP_ONLY, Report.RECONNECT).get(1, TimeUnit.MINUTES);
        clock.every(Duration.ofMillis(1), () -> {
            for (int i = 0; i < 2 && window.tryAcquire(); i++) {
                Integer safe = again.poll();
                call(peer, safe != null ? safe : posted++);
            }
        });
    }

    /** Waits until each has ended, when the clock has stopped. */
    void finish() throws InterruptedException {
        boolean ended = window.tryAcquire(WINDOW, 1, TimeUnit.MINUTES);
        long open = posted - answered.get() - unknown.get() - again.size();
        if (!ended || open != 0) {
            Report.say("violation requests without an end: " + open);
        }
    }

    private void call(Peer peer, int number) {
        byte[] message = new byte[LENGTH];
        MemorySegment.ofArray(message).set(NUMBER, 0, number);
        long beganNs = System.nanoTime();
        CompletableFuture<Message> answer = peer.request(message, SERVICE, OPTIONS);
        CompletableFuture<?> _ = answer.whenComplete((reply, failure) -> {
            if (reply != null) {
                roundTrips.end(beganNs);
            }
            judge(number, reply, failure);
            window.release();
        });
    }

    private void judge(int number, @Nullable Message reply, @Nullable Throwable failure) {
        if (reply != null) {
            if (reply.length() != LENGTH || reply.segment().get(NUMBER, 0) != number) {
                Report.say("violation another one's reply: number=" + number);
            }
            reply.close();
            answered.incrementAndGet();
            failing.set(false);
            return;
        }
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (!(cause instanceof RequestException ended) || ended.status() != RequestStatus.UNAVAILABLE) {
            Report.say("violation unexpected end: number=" + number + " " + cause);
            unknown.incrementAndGet();
            return;
        }
        if (ended.isSafeToRetry()) {
            again.add(number);
        } else {
            unknown.incrementAndGet();
        }
        if (!failing.getAndSet(true)) {
            Report.say("requests " + ended.status());
        }
    }
}
