package io.fairlead.node.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A future that no progress thread waits for, because nothing would ever complete it. */
class NodeFuture<T> extends CompletableFuture<T> {
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new NodeFuture<>();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        requireMayWait();
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        requireMayWait();
        return super.get(timeout, unit);
    }

    @Override
    public T join() {
        requireMayWait();
        return super.join();
    }

    private void requireMayWait() {
        if (!isDone() && ProgressThread.isCurrent()) {
            throw new IllegalStateException("a progress thread cannot wait for a node's future: thread="
                    + Thread.currentThread().getName()
                    + "; chain with thenCompose, or wait on another thread");
        }
    }
}
