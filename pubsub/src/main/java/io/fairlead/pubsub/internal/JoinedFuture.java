package io.fairlead.pubsub.internal;

import io.fairlead.pubsub.Subscription;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The first join of a subscription. All callers have this one, because a copy for each would stay with it until the join; so nobody but the
 * subscription completes it. What is derived from it belongs to its caller.
 */
final class JoinedFuture extends CompletableFuture<Subscription> {
    private final Supplier<CompletableFuture<?>> kind;

    /**
     * Creates it.
     *
     * @param kind a future of the kind of those that are derived from this one, and that waits in this one's place
     */
    JoinedFuture(Supplier<CompletableFuture<?>> kind) {
        this.kind = kind;
    }

    void joined(Subscription subscription) {
        super.complete(subscription);
    }

    void failed(Throwable cause) {
        super.completeExceptionally(cause);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return kind.get().newIncompleteFuture();
    }

    // Waiting is up to the kind, which may forbid it on some threads.

    @Override
    public Subscription join() {
        return isDone() ? super.join() : copy().join();
    }

    @Override
    public Subscription get() throws InterruptedException, ExecutionException {
        return isDone() ? super.get() : copy().get();
    }

    @Override
    public Subscription get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return isDone() ? super.get(timeout, unit) : copy().get(timeout, unit);
    }

    // What would complete it for all callers.

    @Override
    public CompletableFuture<Subscription> orTimeout(long timeout, TimeUnit unit) {
        return copy().orTimeout(timeout, unit);
    }

    @Override
    public CompletableFuture<Subscription> completeOnTimeout(Subscription value, long timeout, TimeUnit unit) {
        return copy().completeOnTimeout(value, timeout, unit);
    }

    @Override
    public boolean complete(Subscription value) {
        return false;
    }

    @Override
    public boolean completeExceptionally(Throwable cause) {
        return false;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return false;
    }

    @Override
    public void obtrudeValue(Subscription value) {
        throw new UnsupportedOperationException("a subscription completes its own join");
    }

    @Override
    public void obtrudeException(Throwable cause) {
        throw new UnsupportedOperationException("a subscription completes its own join");
    }
}
