package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.rpc.RpcPayload;
import io.fairlead.cli.measure.Side;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** Threads that ask by a node, each waiting for its reply before it asks again. There is a node for each transport. */
final class NodeAsk implements Side {
    private static final Duration DEADLINE = Duration.ofSeconds(50);
    private static final int THREAD_SHIFT = 32;

    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Peer> peers = new HashMap<>();

    /**
     * Connects.
     *
     * @param arguments transports, each followed by its port
     */
    NodeAsk(List<String> arguments, Optional<String> address) {
        for (int i = 0; i < arguments.size(); i += 2) {
            Node node = Node.start(WorkerSide.config(arguments.get(i)));
            nodes.add(node);
            int port = Integer.parseInt(arguments.get(i + 1));
            peers.put(
                    arguments.get(i), node.connect(FairleadPeer.loopback(port)).join());
        }
    }

    /** The times at which so many threads, each with so many requests over a transport, began and ended. */
    @Override
    public String turn(String line, Runnable begun) {
        String[] words = line.split(" ", -1);
        Peer peer = Objects.requireNonNull(peers.get(words[0]), "peer");
        int threads = Integer.parseInt(words[1]);
        int requests = Integer.parseInt(words[2]);
        CountDownLatch running = new CountDownLatch(threads);
        CompletableFuture<Void> go = new CompletableFuture<>();
        List<CompletableFuture<Void>> ends = IntStream.range(0, threads)
                .mapToObj(thread -> {
                    CompletableFuture<Void> end = new CompletableFuture<>();
                    Thread.ofPlatform().daemon().name("asking-" + thread).start(() -> {
                        running.countDown();
                        go.join();
                        run(peer, thread, requests, end);
                    });
                    return end;
                })
                .toList();
        awaitStart(running);
        long startNs = System.nanoTime();
        go.complete(null);
        ends.forEach(CompletableFuture::join);
        return startNs + " " + System.nanoTime();
    }

    private static void awaitStart(CountDownLatch running) {
        try {
            running.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException("interrupted", interrupted);
        }
    }

    private static void run(Peer peer, int thread, int requests, CompletableFuture<Void> end) {
        try {
            for (int i = 0; i < requests; i++) {
                long number = ((long) thread << THREAD_SHIFT) + i;
                try (Message reply = peer.request(RpcPayload.request(number), NodeAnswer.SERVICE, DEADLINE)
                        .join()) {
                    RpcPayload.checkReply(reply.segment(), number);
                }
            }
            end.complete(null);
        } catch (RuntimeException failure) {
            end.completeExceptionally(failure);
        }
    }

    @Override
    public void close() {
        nodes.forEach(Node::close);
    }
}
