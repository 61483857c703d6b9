package io.fairlead.node.internal.listen;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.node.Peer;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.loop.LoopCall;
import io.fairlead.node.internal.loop.LoopGroup;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.memory.ProgressThread;
import io.fairlead.node.internal.peer.NodePeers;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** A listener for any thread. */
public final class NodeListener implements Listener {
    private final LoopGroup group;
    private final ProgressLoop loop;
    private final Listener listener;
    private final InetSocketAddress address;
    private final AtomicBoolean closed = new AtomicBoolean();

    private NodeListener(ProgressLoop loop, Listener listener) {
        this.group = loop.group();
        this.loop = loop;
        this.listener = listener;
        this.address = listener.address();
    }

    /**
     * Listens, and waits for the loop's answer.
     *
     * @param loop whose worker listens
     * @param accepted called with each peer
     */
    public static Listener open(
            NodePeers peers, ProgressLoop loop, InetSocketAddress address, Consumer<Peer> accepted) {
        LoopCall<NodeListener> call = new LoopCall<>(on -> new NodeListener(on, listen(peers, on, address, accepted)));
        if (loop.isStopping()) {
            throw Failures.nodeClosed();
        }
        if (loop.isCurrent()) {
            call.accept(loop);
        } else {
            loop.execute(call);
        }
        long waitNs = loop.group().settings().waitNs();
        if (!call.await(waitNs)) {
            // It may still begin to listen, and no caller would close it.
            CompletableFuture<Void> _ = call.thenAccept(NodeListener::close);
            throw new FairleadException(
                    Reason.TIMED_OUT,
                    "cannot listen: address=" + address + ", the progress thread did not answer within "
                            + TimeUnit.NANOSECONDS.toMillis(waitNs) + " ms; do not block it in callbacks");
        }
        try {
            return call.join();
        } catch (CompletionException failure) {
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
    }

    private static Listener listen(
            NodePeers peers, ProgressLoop on, InetSocketAddress address, Consumer<Peer> accepted) {
        // With one thread there is nothing to choose, and connections that fail their handshake cost no endpoint.
        return peers.group().loops().size() == 1
                ? on.worker().listen(address, new Acceptor(peers, on, accepted, false, () -> {}))
                : on.worker().listen(address, new Balancer(peers, accepted));
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            LoopCall<Boolean> call = new LoopCall<>(_ -> {
                listener.close();
                return true;
            });
            loop.execute(call);
            if (!ProgressThread.isCurrent() && !call.await(group.closeLimitNs())) {
                group.warnOfSlowClose("listener at " + address);
            }
        }
    }

    @Override
    public String toString() {
        return "listener at " + address;
    }
}
