package io.fairlead.node.internal;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The receives of a node that wait for messages on one loop. Belongs to the loop's thread.
 *
 * <p>The worker matches them. A receive without a peer waits on every loop of the node; the one that has a message first takes
 * it, and the others are told to withdraw theirs, which decline messages until then.
 */
final class LoopReceives {
    private final ProgressLoop loop;
    private final Worker worker;
    private final ContextIntake contexts;
    /** Called, and to be posted when the worker has room. */
    private final Deque<NodeReceive> unposted = new ArrayDeque<>();

    private @Nullable LoopReceive first;
    private @Nullable LoopReceive last;
    private int waiting;

    LoopReceives(ProgressLoop loop, Worker worker) {
        this.loop = loop;
        this.worker = worker;
        this.contexts = new ContextIntake(worker, loop.node().pool());
    }

    ContextIntake contexts() {
        return contexts;
    }

    /**
     * Takes a receive. Commands overtake operations, so that the {@link #remove} of a receive may have been here before it; whoever ends a
     * receive changes its state first, and one that has ended is not taken.
     */
    void add(NodeReceive receive) {
        if (!unposted.isEmpty() || !tryPost(receive)) {
            unposted.add(receive);
        }
    }

    /** False if the worker has no room. */
    private boolean tryPost(NodeReceive receive) {
        if (!receive.isWaiting()) {
            return true;
        }
        if (loop.isStopping()) {
            end(receive, Failures.nodeClosed());
            return true;
        }
        LoopReceive posted = new LoopReceive(receive, loop, this);
        long request;
        try {
            request = worker.receive(posted, receive.tag, receive.mask, posted, 0);
        } catch (Throwable thrown) {
            if (receive.tryMatch()) {
                receive.fail(loop, thrown);
            }
            return true;
        }
        if (request == Endpoint.BACK_PRESSURE) {
            return false;
        }
        if (request < 0) {
            end(receive, failure(receive, Status.of(request)));
            return true;
        }
        posted.request = request;
        if (!posted.isMatched() && receive.isWaiting()) {
            receive.posted(loop, posted);
            append(posted);
            endIfFutile(posted);
        } else if (!posted.isMatched()) {
            worker.cancel(request);
        }
        return true;
    }

    private static FairleadException failure(NodeReceive receive, Status status) {
        NodePeer peer = receive.peer;
        return Failures.of(
                "receive of tag " + receive.tag, status, peer == null ? "any" : peer.toString(), Optional.empty());
    }

    /** Nothing has arrived for the receive; where its peer has ended, nothing will. */
    private void endIfFutile(LoopReceive posted) {
        NodePeer peer = posted.receive.peer;
        FairleadException refusal = peer == null ? null : peer.link().receiveRefusal(posted.receive.tag);
        if (refusal != null) {
            withdraw(posted);
            end(posted.receive, refusal);
        }
    }

    /** Forgets a receive that its caller has withdrawn, or that another loop has matched. */
    void remove(NodeReceive receive) {
        LoopReceive posted = receive.postedOn(loop);
        if (posted != null) {
            withdraw(posted);
        }
    }

    private void withdraw(LoopReceive posted) {
        if (unlist(posted)) {
            worker.cancel(posted.request);
        }
    }

    /** The worker has a message for the receive, which has taken it. */
    void matched(LoopReceive posted) {
        unlist(posted);
        loop.node().receives().matched(posted.receive, loop);
    }

    /** How many receives wait here. */
    int waiting() {
        return waiting + unposted.size();
    }

    /** Whether something waits for room in the worker. */
    boolean isStalled() {
        return !unposted.isEmpty() || contexts.isStalled();
    }

    /** Posts what found no room, and reads the contexts that have arrived. */
    int turn() {
        int events = contexts.turn();
        while (!unposted.isEmpty() && tryPost(unposted.element())) {
            unposted.remove();
            events++;
        }
        return events;
    }

    /** Fails the receives that wait for one peer alone. */
    void failReceives(NodePeer peer, Function<NodeReceive, FairleadException> cause) {
        failIf(receive -> receive.peer == peer, cause);
    }

    /** Fails every receive that waits. */
    void failAll(FairleadException cause) {
        failIf(_ -> true, _ -> cause);
    }

    private void failIf(Predicate<NodeReceive> condition, Function<NodeReceive, FairleadException> cause) {
        LoopReceive posted = first;
        while (posted != null) {
            LoopReceive after = posted.next;
            if (condition.test(posted.receive)) {
                withdraw(posted);
                end(posted.receive, cause.apply(posted.receive));
            }
            posted = after;
        }
        unposted.removeIf(receive -> {
            boolean failing = condition.test(receive);
            if (failing) {
                end(receive, cause.apply(receive));
            }
            return failing;
        });
    }

    private void end(NodeReceive receive, FairleadException cause) {
        if (receive.tryMatch()) {
            receive.fail(loop, cause);
        }
    }

    private void append(LoopReceive posted) {
        posted.listed = true;
        posted.previous = last;
        if (last == null) {
            first = posted;
        } else {
            last.next = posted;
        }
        last = posted;
        waiting++;
    }

    private boolean unlist(LoopReceive posted) {
        if (!posted.listed) {
            return false;
        }
        LoopReceive before = posted.previous;
        LoopReceive after = posted.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        posted.listed = false;
        posted.previous = null;
        posted.next = null;
        waiting--;
        return true;
    }
}
