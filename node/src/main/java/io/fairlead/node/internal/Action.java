package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import java.util.function.Consumer;

/**
 * A command to a loop that nobody waits for.
 *
 * @param command what to do, on the loop's thread; left undone if the loop has ended
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
