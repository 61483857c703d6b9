package io.fairlead.node.internal.loop;

import io.fairlead.FairleadException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** How a loop lets its peers go: it notifies each, also those that connect meanwhile, and looks again until all requests are answered. */
final class LoopLeave implements LoopTask {
    /** Requests are answered in microseconds or in seconds; a look at each peer costs less than one of them. */
    private static final long LOOK_NS = 1_000_000L;

    /** The drains of the loop that wait, of which this is one while it does. */
    private final Set<LoopLeave> waiting;

    private final long startNs;
    private final long limitNs;
    private final CompletableFuture<Boolean> left = new CompletableFuture<>();

    LoopLeave(Set<LoopLeave> waiting, long startNs, long limitNs) {
        this.waiting = waiting;
        this.startNs = startNs;
        this.limitNs = limitNs;
    }

    /** True when all is answered, false if the limit comes first or the loop ends. */
    CompletableFuture<Boolean> left() {
        return left;
    }

    @Override
    public void accept(ProgressLoop loop) {
        boolean all = loop.isLeft();
        if (all || System.nanoTime() - startNs >= limitNs) {
            waiting.remove(this);
            loop.left(all);
            left.complete(all);
        } else {
            waiting.add(this);
            loop.timers().after(LOOK_NS, () -> accept(loop), thrown -> fail(loop, thrown));
        }
    }

    @Override
    public void refuse(FairleadException cause) {
        left.complete(false);
    }

    @Override
    public void fail(ProgressLoop loop, Throwable thrown) {
        left.complete(false);
    }
}
