package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.rpc.RpcPayload;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** Threads that ask by one node, each waiting for its reply before it asks again. */
final class NodeAsk implements Role {
    static final String NAME = "node-ask";
    private static final Duration DEADLINE = Duration.ofSeconds(50);
    private static final int THREAD_SHIFT = 32;

    private final Node node;
    private final Peer peer;

    /**
     * Connects.
     *
     * @param arguments the transport and the port
     */
    NodeAsk(List<String> arguments) {
        node = Node.start(WorkerSide.config(arguments.getFirst()));
        peer = node.connect(WorkerSide.loopback(Integer.parseInt(arguments.get(1))))
                .join();
    }

    @Override
    public String introduction() {
        return "";
    }

    /** The times at which a number of threads, each with a number of requests, began and ended. */
    @Override
    public String turn(List<String> words) {
        int threads = Integer.parseInt(words.getFirst());
        int requests = Integer.parseInt(words.get(1));
        CountDownLatch running = new CountDownLatch(threads);
        CompletableFuture<Void> go = new CompletableFuture<>();
        List<CompletableFuture<Void>> ends = IntStream.range(0, threads)
                .mapToObj(thread -> {
                    CompletableFuture<Void> end = new CompletableFuture<>();
                    Thread.ofPlatform().daemon().name("asking-" + thread).start(() -> {
                        running.countDown();
                        go.join();
                        run(thread, requests, end);
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

    private void run(int thread, int requests, CompletableFuture<Void> end) {
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
        node.close();
    }
}
