package io.fairlead.node.internal.peer;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.loop.NodeOperation;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.memory.Memory;
import io.fairlead.statistics.OperationKind;
import org.jspecify.annotations.Nullable;

/** An operation on a peer that is posted in the order of the calls: everything but receives. */
public abstract class PeerOperation<T> extends NodeOperation<T> implements Completion {
    final NodePeer peer;

    private @Nullable T result;
    private @Nullable Throwable failure;
    private boolean delivered;
    private boolean released;

    PeerOperation(NodePeer peer) {
        this.peer = peer;
    }

    /**
     * Posts the operation, on the loop's thread.
     *
     * @return a request id, 0 if the operation is done without one, or a negative status
     */
    abstract long post(Endpoint endpoint);

    /** The operation and its numbers, for messages. */
    abstract String describe();

    /** The kind for observers; null for operations that are not observed. */
    @Nullable OperationKind kind() {
        return null;
    }

    /** The payload's bytes. */
    long length() {
        return 0;
    }

    /** The caller's memory, which may have to be copied; null for operations without. */
    @Nullable Memory memory() {
        return null;
    }

    /** What the future completes with; null for operations without a result. */
    @Nullable T result(Request request) {
        return null;
    }

    /** Gives back what the operation held while it lasted; called once, on any thread. */
    void release() {}

    /** For operations that are done when they are posted. */
    final void succeed(T value) {
        result = value;
    }

    /** A posted operation cannot be withdrawn, because the engine may be using the memory. */
    @Override
    public final boolean cancel(boolean mayInterruptIfRunning) {
        return false;
    }

    @Override
    public final void accept(ProgressLoop loop) {
        peer.link().accept(this);
    }

    @Override
    public final void refuse(FairleadException cause) {
        failure = cause;
        releaseOnce();
        deliver();
    }

    @Override
    public final void fail(ProgressLoop loop, Throwable cause) {
        failure = cause;
        finish(loop);
    }

    /** It has ended. What it held is released before the delivery, because an executor may drop a task. */
    final void finish(ProgressLoop loop) {
        releaseOnce();
        loop.deliver(this);
    }

    /** It never began, because the call itself throws. */
    final void abandon(Throwable thrown) {
        releaseOnce();
        notifyEnd(thrown);
    }

    private void releaseOnce() {
        if (!released) {
            released = true;
            release();
        }
    }

    /** Fails with a status. */
    final void fail(Status status) {
        fail(
                peer.loop(),
                Failures.of(describe(), status, peer.toString(), peer.link().cause()));
    }

    @Override
    public final void completed(Request request) {
        ProgressLoop loop = peer.loop();
        loop.unposted(this);
        Status status = request.status();
        if (status != Status.OK) {
            fail(status);
            return;
        }
        try {
            result = result(request);
            finish(loop);
        } catch (Throwable thrown) {
            fail(loop, thrown);
        }
    }

    @Override
    public final void deliver() {
        if (delivered) {
            return;
        }
        delivered = true;
        Throwable cause = failure;
        notifyEnd(cause);
        if (cause == null) {
            complete(result);
        } else {
            completeExceptionally(cause);
        }
    }
}
