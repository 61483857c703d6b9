package io.fairlead.node.internal.loop;

import io.fairlead.FairleadException;
import java.util.function.Consumer;

/** Something that any thread hands to a progress thread. Either {@link #accept} or {@link #refuse} is called, once. */
public interface LoopTask {
    /** Runs the task, on the loop's thread. */
    void accept(ProgressLoop loop);

    /** The loop has ended or does not take the task. Called on the thread that found out. */
    void refuse(FairleadException cause);

    /** {@link #accept} has thrown, which is logged already. On the loop's thread. */
    default void fail(ProgressLoop loop, Throwable thrown) {}

    /**
     * A command to a loop without a caller that waits.
     *
     * @param command what to do, on the loop's thread; dropped if the loop has ended
     */
    record Action(Consumer<ProgressLoop> command) implements LoopTask {
        @Override
        public void accept(ProgressLoop loop) {
            command.accept(loop);
        }

        @Override
        public void refuse(FairleadException cause) {
            // What it was about has ended with the loop.
        }
    }
}
