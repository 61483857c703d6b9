package io.fairlead.node.internal.receive;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.MatchHandler;
import io.fairlead.MessageInfo;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.node.internal.context.ArrivedFrame;
import io.fairlead.node.internal.context.ContextIntake;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.loop.LoopSemaphore;
import io.fairlead.node.internal.loop.LoopWork;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.spi.PrefacedMessage;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The receives of a node that wait for messages on one loop. Belongs to the loop's thread.
 *
 * <p>The worker matches them. A receive without a peer waits on every loop of the node. The loop that has a message first takes
 * it, and the others withdraw theirs, which decline messages until then.
 */
public final class LoopReceives implements LoopWork {
    private final NodeReceives receives;
    private final ProgressLoop loop;
    private final LoopSemaphore semaphore;
    private final PeerTable peers = new PeerTable();
    private final ContextIntake contexts;
    private @Nullable Worker worker;
    /** Receives that are called, and are posted when the worker has capacity. */
    private final Deque<NodeReceive> unposted = new ArrayDeque<>();

    private @Nullable Posted first;
    private @Nullable Posted last;
    private int waiting;

    LoopReceives(NodeReceives receives, ProgressLoop loop, LoopSemaphore semaphore) {
        this.receives = receives;
        this.loop = loop;
        this.semaphore = semaphore;
        this.contexts = new ContextIntake(loop.group().pool());
    }

    /** Counts waiting receives, as this loop takes and frees them. For any thread. */
    LoopSemaphore semaphore() {
        return semaphore;
    }

    /** The peers of the loop's endpoints. */
    public PeerTable peers() {
        return peers;
    }

    public ContextIntake contexts() {
        return contexts;
    }

    @Override
    public void started(Worker started) {
        worker = started;
    }

    private Worker worker() {
        return Objects.requireNonNull(worker, "worker");
    }

    /**
     * Takes a receive. Commands overtake operations, so {@link #remove} may come before it. A receive that ends changes its state first, and one
     * that has ended is not taken.
     */
    void add(NodeReceive receive) {
        if (!unposted.isEmpty() || !tryPost(receive)) {
            unposted.add(receive);
        }
    }

    /** Returns false if the worker has no capacity. */
    private boolean tryPost(NodeReceive receive) {
        if (!receive.isWaiting()) {
            return true;
        }
        if (loop.isStopping()) {
            end(receive, Failures.nodeClosed());
            return true;
        }
        Posted posted = new Posted(receive);
        long request;
        try {
            request = worker().receive(posted, receive.tag, receive.mask, posted, 0);
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
            worker().cancel(request);
        }
        return true;
    }

    private static FairleadException failure(NodeReceive receive, Status status) {
        SourcePeer peer = receive.peer;
        return Failures.of(
                "receive of tag " + receive.tag, status, peer == null ? "any" : peer.toString(), Optional.empty());
    }

    /** Ends a receive for which nothing has arrived, if its peer has ended and nothing will. */
    private void endIfFutile(Posted posted) {
        SourcePeer peer = posted.receive.peer;
        FairleadException refusal = peer == null ? null : peer.receiveRefusal(posted.receive.tag);
        if (refusal != null) {
            withdraw(posted);
            end(posted.receive, refusal);
        }
    }

    /** Forgets a receive that its caller has withdrawn, or that another loop has matched. */
    void remove(NodeReceive receive) {
        Posted posted = receive.postedOn(loop);
        if (posted != null) {
            withdraw(posted);
        }
    }

    private void withdraw(Posted posted) {
        if (unlist(posted)) {
            worker().cancel(posted.request);
        }
    }

    /** The worker has a message for the receive, which has taken it. */
    private void matched(Posted posted) {
        unlist(posted);
        receives.matched(posted.receive, loop);
    }

    /** How many receives wait here. */
    public int waiting() {
        return waiting + unposted.size();
    }

    @Override
    public boolean isStalled() {
        return !unposted.isEmpty() || contexts.isStalled();
    }

    /** Posts what found no capacity, and reads the contexts that have arrived. */
    @Override
    public int turn() {
        int events = contexts.turn(worker());
        while (!unposted.isEmpty() && tryPost(unposted.element())) {
            unposted.remove();
            events++;
        }
        return events;
    }

    /** Fails the receives that wait for one peer alone. */
    @SuppressWarnings("ReferenceEquality") // The peer itself.
    public void failReceives(SourcePeer peer, Function<NodeReceive, FairleadException> cause) {
        failIf(receive -> receive.peer == peer, cause);
    }

    @Override
    public void failAll(FairleadException cause) {
        failIf(_ -> true, _ -> cause);
    }

    @Override
    public void workerClosed() {
        contexts.workerClosed();
    }

    private void failIf(Predicate<NodeReceive> condition, Function<NodeReceive, FairleadException> cause) {
        Posted posted = first;
        while (posted != null) {
            Posted after = posted.next;
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

    private void append(Posted posted) {
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

    private boolean unlist(Posted posted) {
        if (!posted.listed) {
            return false;
        }
        Posted before = posted.previous;
        Posted after = posted.next;
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

    /** A receive of the node as it is posted on this loop. The worker calls it inside progress. */
    final class Posted implements MatchHandler, Completion, ArrivedFrame.Awaiting {
        private final NodeReceive receive;

        /** The handle of the worker's receive. */
        private long request;

        // Its links in the list of waiting receives.
        private @Nullable Posted previous;

        private @Nullable Posted next;

        private boolean listed;

        /** Where the message came from that it has taken; null as long as it has taken none. */
        private @Nullable SourcePeer source;

        private @Nullable ArrivedFrame frame;
        private MemorySegment buffer = MemorySegment.NULL;

        private Posted(NodeReceive receive) {
            this.receive = receive;
        }

        /** Whether a message has matched it here. */
        private boolean isMatched() {
            return source != null;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // The peer itself.
        public boolean accepts(Endpoint from) {
            SourcePeer peer = peers.of(from);
            return peer != null && (receive.peer == null || receive.peer == peer);
        }

        @Override
        public boolean tryMatch(MessageInfo message) {
            if (!receive.tryMatch()) {
                return false;
            }
            matched(this);
            SourcePeer from = Objects.requireNonNull(peers.of(message.source().orElseThrow()), "peer");
            try {
                buffer = receive.bufferFor(message.length());
            } catch (OutOfMemoryError none) {
                // It must not stay in front: the next receive would find it, and no memory either.
                receive.failed(Failures.lost(from.toString(), message.tag(), message.length(), none));
            } catch (Throwable thrown) {
                // The caller's memory is of no use any more, but the message is still here.
                receive.fail(loop, thrown);
                return false;
            }
            source = from;
            frame = ((PrefacedMessage) message)
                    .preface()
                    .map(ArrivedFrame.class::cast)
                    .orElse(null);
            loop.posted(receive);
            return true;
        }

        @Override
        public MemorySegment buffer() {
            return buffer;
        }

        @Override
        public void completed(Request ended) {
            SourcePeer from = source;
            if (from == null) {
                // Withdrawn, or matched by another loop.
                return;
            }
            try {
                receive.ended(from, ended.status(), ended.tag(), ended.length());
            } catch (Throwable thrown) {
                // No memory for the message, for one: the future must end all the same.
                receive.failed(thrown);
            }
            framed();
        }

        /** Delivers the message, once the frame before it has been read. */
        @Override
        public void framed() {
            ArrivedFrame before = frame;
            if (before == null || !before.isAwaitedBy(this)) {
                if (before != null) {
                    receive.context(before.context());
                }
                loop.unposted(receive);
                loop.deliver(receive);
            }
        }
    }
}
