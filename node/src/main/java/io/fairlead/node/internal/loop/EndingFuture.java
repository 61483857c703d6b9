package io.fairlead.node.internal.loop;

import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** A future that does something when it ends, whether the caller or the engine ends it. */
public abstract class EndingFuture<T> extends NodeFuture<T> {
    /** It has ended. Called once, by whoever has ended it. */
    protected void hasEnded() {}

    @Override
    public final boolean cancel(boolean mayInterruptIfRunning) {
        return completeExceptionally(new CancellationException()) || isCancelled();
    }

    @Override
    public final boolean complete(@Nullable T value) {
        boolean ends = super.complete(value);
        if (ends) {
            hasEnded();
        }
        return ends;
    }

    @Override
    public final boolean completeExceptionally(Throwable thrown) {
        boolean ends = super.completeExceptionally(thrown);
        if (ends) {
            hasEnded();
        }
        return ends;
    }
}
