package io.fairlead.benchmarks.contest;

import io.fairlead.FairleadConfig;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.HdrHistogram.Histogram;

/** Requests of a node, answered on the progress thread of the other; streams are messages, some of them on their way. */
final class NodeSide implements Side {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final long TAG = 1;
    private static final long SERVICE = 2;
    private static final int WINDOW = 64;

    private final Node node;
    private final Peer peer;
    private final Idle idle;
    private final Answers answers;
    private int size;

    private NodeSide(Node node, Peer peer, Idle idle, Answers answers) {
        this.node = node;
        this.peer = peer;
        this.idle = idle;
        this.answers = answers;
    }

    static NodeSide listen(String policy, Idle idle, Address address) {
        Node node = node(policy, idle);
        Answers answers = new Answers();
        Service _ = node.serve(
                SERVICE,
                ServiceHandler.replying(request -> answers.reply(request.segment())),
                ServiceOptions.DEFAULT.onProgressThread());
        CompletableFuture<Peer> accepted = new CompletableFuture<>();
        address.tell(node.listen(FairleadPeer.loopback(0), accepted::complete)
                .address()
                .getPort());
        return new NodeSide(node, accepted.join(), idle, answers);
    }

    static NodeSide connect(String policy, Idle idle, int port) {
        Node node = node(policy, idle);
        return new NodeSide(node, node.connect(FairleadPeer.loopback(port)).join(), idle, new Answers());
    }

    private static Node node(String policy, Idle idle) {
        return Node.start(FairleadConfig.defaults()
                .with(ConfigKeys.POLICY, ConfigKeys.POLICY.parse(policy))
                .with(ConfigKeys.IDLE_STRATEGY, idle == Idle.SPIN ? "busy-spin" : "blocking"));
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
    public void begin(int bytes, int outgoing, int incoming, int inFlight) {
        size = bytes;
        answers.begin(bytes);
    }

    @Override
    public void ask(int count, long intervalNs, Histogram times) {
        long startNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long dueNs = intervalNs == 0 ? System.nanoTime() : startNs + i * intervalNs;
            Pause.until(dueNs, idle);
            try (Message reply =
                    peer.request(message(size, i), SERVICE, DEADLINE).join()) {
                check(reply, i);
            }
            times.recordValue(System.nanoTime() - dueNs);
        }
    }

    @Override
    public void answer(int count) {
        answers.given.acquireUninterruptibly(count);
    }

    @Override
    public void stream(int count) {
        Deque<CompletableFuture<Void>> sent = new ArrayDeque<>();
        for (int i = 0; i < count; i++) {
            if (sent.size() == WINDOW) {
                sent.remove().join();
            }
            sent.add(peer.send(message(size, i), TAG));
        }
        sent.forEach(CompletableFuture::join);
    }

    @Override
    public void drain(int count) {
        Deque<CompletableFuture<Message>> posted = new ArrayDeque<>();
        for (int i = 0; i < Math.min(count, WINDOW); i++) {
            posted.add(peer.receive(TAG));
        }
        for (int i = 0; i < count; i++) {
            try (Message message = posted.remove().join()) {
                check(message, i);
            }
            if (i + WINDOW < count) {
                posted.add(peer.receive(TAG));
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
