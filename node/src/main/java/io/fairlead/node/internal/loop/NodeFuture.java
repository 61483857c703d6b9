package io.fairlead.node.internal.loop;

import io.fairlead.node.internal.memory.ProgressThread;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** A future that no progress thread waits for, because nothing would ever complete it. */
public class NodeFuture<T> extends CompletableFuture<T> {
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

    /** By what completes a future at once, which may be more than that here. */
    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        Objects.requireNonNull(supplier, "supplier");
        executor.execute(() -> {
            try {
                if (!isDone()) {
                    complete(supplier.get());
                }
            } catch (Throwable thrown) {
                completeExceptionally(thrown);
            }
        });
        return this;
    }

    private void requireMayWait() {
        if (!isDone() && ProgressThread.isCurrent()) {
            throw new IllegalStateException("a progress thread cannot wait for a node's future: thread="
                    + Thread.currentThread().getName()
                    + "; chain with thenCompose, or wait on another thread");
        }
    }
}
