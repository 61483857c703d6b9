package io.fairlead.testkit.layers;

import io.fairlead.node.Node;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** Keeps the only progress thread of a node in a callback until it is closed, as an application does that is busy there. */
final class HeldThread implements AutoCloseable {
    private final CountDownLatch release = new CountDownLatch(1);
    private final CompletableFuture<Boolean> held;

    /** Returns when the thread is in the callback. */
    HeldThread(Node node) {
        CountDownLatch entered = new CountDownLatch(1);
        held = node.workerThread().call(_ -> {
            entered.countDown();
            NodeCases.await(release, "the case to let the thread go");
            return true;
        });
        NodeCases.await(entered, "the thread to be held");
    }

    @Override
    public void close() {
        release.countDown();
        NodeCases.get(held);
    }
}
