package io.fairlead.node.internal.loop;

import io.fairlead.FairleadException;
import io.fairlead.Worker;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A task that uses the worker of a loop. Its result is delivered like any future of the node. */
final class WorkerCall<T> extends NodeFuture<T> implements LoopTask, Delivery {
    private final Function<? super Worker, ? extends T> task;
    private @Nullable T answer;
    private @Nullable Throwable failure;

    WorkerCall(Function<? super Worker, ? extends T> task) {
        this.task = task;
    }

    @Override
    public void accept(ProgressLoop loop) {
        if (isDone()) {
            return;
        }
        try {
            answer = task.apply(loop.worker());
        } catch (Throwable thrown) {
            failure = thrown;
        }
        loop.deliver(this);
    }

    @Override
    public void refuse(FairleadException cause) {
        completeExceptionally(cause);
    }

    @Override
    @SuppressWarnings("NullAway") // A task may answer null, as one that answers nothing does.
    public void deliver() {
        if (failure != null) {
            completeExceptionally(failure);
        } else {
            complete(answer);
        }
    }
}
