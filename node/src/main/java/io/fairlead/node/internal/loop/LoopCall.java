package io.fairlead.node.internal.loop;

import io.fairlead.FairleadException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A command to a loop whose caller waits for the answer. */
public final class LoopCall<T> extends NodeFuture<T> implements LoopTask {
    private final Function<ProgressLoop, T> command;

    public LoopCall(Function<ProgressLoop, T> command) {
        this.command = command;
    }

    @Override
    public void accept(ProgressLoop loop) {
        try {
            complete(command.apply(loop));
        } catch (Throwable thrown) {
            completeExceptionally(thrown);
        }
    }

    @Override
    public void refuse(FairleadException cause) {
        completeExceptionally(cause);
    }

    /** Waits for the end, normal or not. Returns false if it did not come in time. */
    public boolean await(long limitNs) {
        try {
            get(limitNs, TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException ended) {
            return true;
        } catch (TimeoutException late) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
