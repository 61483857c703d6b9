package io.fairlead.node.internal;

import io.fairlead.Listener;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** A listener for any thread. */
final class NodeListener implements Listener {
    private final NodeEngine node;
    private final ProgressLoop loop;
    private final Listener listener;
    private final InetSocketAddress address;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** On the loop's thread. */
    NodeListener(NodeEngine node, ProgressLoop loop, Listener listener) {
        this.node = node;
        this.loop = loop;
        this.listener = listener;
        this.address = listener.address();
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
            if (!ProgressThread.isCurrent() && !call.await(node.closeLimitNs())) {
                node.warnOfSlowClose("listener at " + address);
            }
        }
    }

    @Override
    public String toString() {
        return "listener at " + address;
    }
}
