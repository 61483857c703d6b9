package io.fairlead.node.internal;

import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * An operation whose caller can end its future at any moment, by a cancel or otherwise, and knows at once whether it was in time. The engine ends it by
 * {@link #end} and {@link #endExceptionally}.
 */
abstract class WithdrawableOperation<T> extends NodeOperation<T> {
    /** Takes the operation for its caller; false if it was matched or has ended. */
    abstract boolean tryWithdraw();

    /** The caller has ended it: whoever has it is told. */
    abstract void withdrawn();

    /** Completes the future for the engine. */
    final void end(@Nullable T value) {
        super.complete(value);
    }

    /** Fails the future for the engine. */
    final void endExceptionally(Throwable cause) {
        super.completeExceptionally(cause);
    }

    @Override
    public final boolean cancel(boolean mayInterruptIfRunning) {
        if (!tryWithdraw()) {
            return false;
        }
        tellEnd(new CancellationException());
        super.cancel(mayInterruptIfRunning);
        withdrawn();
        return true;
    }

    @Override
    public final boolean complete(@Nullable T value) {
        if (!tryWithdraw()) {
            return false;
        }
        tellEnd(null);
        super.complete(value);
        withdrawn();
        return true;
    }

    @Override
    public final boolean completeExceptionally(Throwable thrown) {
        if (!tryWithdraw()) {
            return false;
        }
        tellEnd(thrown);
        super.completeExceptionally(thrown);
        withdrawn();
        return true;
    }
}
