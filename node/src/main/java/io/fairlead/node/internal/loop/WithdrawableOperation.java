package io.fairlead.node.internal.loop;

import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * An operation whose caller can end its future at any moment, by a cancel or otherwise, and learns at once whether it was in time. The engine
 * ends it by {@link #end} and {@link #endExceptionally}.
 */
public abstract class WithdrawableOperation<T> extends NodeOperation<T> {
    /** Takes the operation for its caller. Returns false if it was matched or has ended. */
    protected abstract boolean tryWithdraw();

    /** The caller has ended it. Removes it from where it waits. */
    protected abstract void withdrawn();

    /** How the observer sees that the caller has ended it: as the future ends, unless overridden. */
    protected @Nullable Throwable observedWithdrawal(@Nullable Throwable thrown) {
        return thrown;
    }

    /** Completes the future for the engine. */
    protected final void end(@Nullable T value) {
        super.complete(value);
    }

    /** Fails the future for the engine. */
    protected final void endExceptionally(Throwable cause) {
        super.completeExceptionally(cause);
    }

    @Override
    public final boolean cancel(boolean mayInterruptIfRunning) {
        if (!tryWithdraw()) {
            return false;
        }
        notifyEnd(observedWithdrawal(new CancellationException()));
        super.cancel(mayInterruptIfRunning);
        withdrawn();
        return true;
    }

    @Override
    public final boolean complete(@Nullable T value) {
        if (!tryWithdraw()) {
            return false;
        }
        notifyEnd(observedWithdrawal(null));
        super.complete(value);
        withdrawn();
        return true;
    }

    @Override
    public final boolean completeExceptionally(Throwable thrown) {
        if (!tryWithdraw()) {
            return false;
        }
        notifyEnd(observedWithdrawal(thrown));
        super.completeExceptionally(thrown);
        withdrawn();
        return true;
    }
}
