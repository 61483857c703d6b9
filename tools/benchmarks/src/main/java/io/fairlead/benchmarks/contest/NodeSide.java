package io.fairlead.benchmarks.contest;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.measure.Laps;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Work;
import io.fairlead.cli.measure.WorkSide;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/** Requests of a node, answered on the progress thread of the other; streams are messages, some of them on their way. */
final class NodeSide extends WorkSide {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final long TAG = 1;
    private static final long SERVICE = 2;
    private static final int WINDOW = 64;

    private final Node node;
    private final CompletableFuture<Peer> accepted = new CompletableFuture<>();
    private final String port;
    private final Idle idle;
    private final Answers answers = new Answers();
    private int size;

    NodeSide(String policy, Idle idle, Optional<String> address) {
        this.idle = idle;
        node = Node.start(FairleadConfig.defaults()
                .with(ConfigKeys.POLICY, ConfigKeys.POLICY.parse(policy))
                .with(ConfigKeys.IDLE_STRATEGY, idle == Idle.SPIN ? "busy-spin" : "blocking"));
        if (address.isPresent()) {
            port = "";
            accepted.complete(node.connect(FairleadPeer.loopback(address.get())).join());
        } else {
            Service _ = node.serve(
                    SERVICE,
                    ServiceHandler.replying(request -> answers.reply(request.segment())),
                    ServiceOptions.DEFAULT.onProgressThread());
            port = String.valueOf(node.listen(FairleadPeer.loopback(0), accepted::complete)
                    .address()
                    .getPort());
        }
    }

    @Override
    public String address() {
        return port;
    }

    @Override
    public void awaitPeer() {
        peer();
    }

    private Peer peer() {
        return accepted.join();
    }

    /** What the progress thread answers. */
    private static final class Answers {
        private final Semaphore given = new Semaphore(0);
        private int size;
        private long expected;

        synchronized void begin(int bytes) {
            size = bytes;
            expected = 0;
            given.drainPermits();
        }

        synchronized MemorySegment reply(MemorySegment request) {
            Payload.length(size, (int) request.byteSize());
            Payload.check(request, size, expected);
            MemorySegment reply = message(size, expected);
            expected++;
            given.release();
            return reply;
        }
    }

    private static MemorySegment message(int size, long number) {
        MemorySegment message = MemorySegment.ofArray(new byte[size]);
        Payload.write(message, size, number);
        return message;
    }

    @Override
    protected void begin(Work work, boolean leads) {
        size = work.size();
        answers.begin(size);
    }

    @Override
    protected void lead(Work work, Laps times) {
        times.start();
        if (work.test() == PerfTest.TAG_LAT) {
            ask(work, times);
        } else {
            stream(work.count());
        }
        times.stop();
    }

    private void ask(Work work, Laps times) {
        for (int i = 0; i < work.count(); i++) {
            long dueNs = work.intervalNs() == 0 ? System.nanoTime() : times.startNs() + i * work.intervalNs();
            LinkSide.awaitDue(dueNs, idle);
            try (Message reply =
                    peer().request(message(size, i), SERVICE, DEADLINE).join()) {
                check(reply, i);
            }
            times.record(System.nanoTime() - dueNs);
        }
    }

    private void stream(int count) {
        Deque<CompletableFuture<Void>> sent = new ArrayDeque<>();
        for (int i = 0; i < count; i++) {
            if (sent.size() == WINDOW) {
                sent.remove().join();
            }
            sent.add(peer().send(message(size, i), TAG));
        }
        sent.forEach(CompletableFuture::join);
    }

    @Override
    protected void follow(Work work) {
        if (work.test() == PerfTest.TAG_LAT) {
            answers.given.acquireUninterruptibly(work.count());
            return;
        }
        Deque<CompletableFuture<Message>> posted = new ArrayDeque<>();
        for (int i = 0; i < Math.min(work.count(), WINDOW); i++) {
            posted.add(peer().receive(TAG));
        }
        for (int i = 0; i < work.count(); i++) {
            try (Message message = posted.remove().join()) {
                check(message, i);
            }
            if (i + WINDOW < work.count()) {
                posted.add(peer().receive(TAG));
            }
        }
    }

    private void check(Message message, long number) {
        Payload.length(size, (int) message.length());
        Payload.check(message.segment(), size, number);
    }

    @Override
    public void close() {
        node.close();
    }
}
