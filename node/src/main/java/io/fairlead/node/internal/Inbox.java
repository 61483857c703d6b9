package io.fairlead.node.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.MessageInfo;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a loop's receives and messages together. Belongs to the loop's thread.
 *
 * <p>While a receive waits, every message is claimed from the worker as it arrives, and matched here: the earliest receive that
 * accepts it, or the earliest message that a new receive accepts. Credits go back to a sender when the engine moves the claimed
 * message, so that claiming takes no bound away.
 */
final class Inbox {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

    private final ProgressLoop loop;
    private final Worker worker;
    private final Function<Endpoint, @Nullable NodePeer> peers;
    private final ReceiveTable waiting = new ReceiveTable();
    private final ArrivedMessages arrived = new ArrivedMessages();
    private final Deque<MessageInfo> spare = new ArrayDeque<>();
    /** Matched, and to be posted when the worker has room. */
    private final Deque<NodeReceive> unposted = new ArrayDeque<>();
    /** Given up, and to be taken from the worker when it has room. */
    private final Deque<MessageInfo> unwanted = new ArrayDeque<>();
    /** Receives whose message was lost; they go on waiting. */
    private final Deque<ReceiveTable.Entry> returned = new ArrayDeque<>();

    private final ContextIntake contexts;
    private long sequence;
    private boolean news;
    private boolean closed;

    Inbox(ProgressLoop loop, Worker worker, Function<Endpoint, @Nullable NodePeer> peers) {
        this.loop = loop;
        this.worker = worker;
        this.peers = peers;
        this.contexts = new ContextIntake(this, worker, loop.node().pool());
    }

    /**
     * Takes a receive: matches it with a message that is here, or lets it wait. Commands overtake operations, so that the {@link #remove} of a
     * receive may have been here before it; whoever ends a receive changes its state first, and one that has ended is not taken.
     */
    void add(NodeReceive receive) {
        if (receive.isWaiting() && !(receive.wasReturned() && waiting.contains(receive))) {
            place(waiting.enter(receive));
        }
    }

    /** Forgets a receive that its caller has withdrawn, or that another loop has matched. */
    void remove(NodeReceive receive) {
        waiting.remove(receive);
    }

    /** How many receives wait here. */
    int waiting() {
        return waiting.size();
    }

    void putBack(ReceiveTable.Entry entry) {
        returned.add(entry);
    }

    /** Whether something waits for room in the worker. */
    boolean isStalled() {
        return !unposted.isEmpty() || !unwanted.isEmpty() || contexts.isStalled();
    }

    /** Matches what there is to match; progress tells whether messages may have arrived. */
    int turn(int progress) {
        int events = 0;
        if (isStalled()) {
            events += retry();
        }
        events += contexts.turn();
        while (!returned.isEmpty()) {
            ReceiveTable.Entry entry = returned.remove();
            NodeReceive receive = entry.receive;
            // Another loop may have matched it meanwhile, or lost it too and given it back to this one.
            if (receive.isWaiting()) {
                waiting.remove(receive);
                place(waiting.renew(entry));
                loop.unmatched(receive);
            }
            events++;
        }
        if ((progress > 0 || news) && !waiting.isEmpty()) {
            news = false;
            while (!waiting.isEmpty() && claim()) {
                events++;
            }
        }
        return events;
    }

    /** An endpoint has ended: what it brought is all there will be. */
    void endpointEnded(Endpoint endpoint) {
        while (claim()) {
            // Everything that the worker holds, because the endpoint's peer is known now and may not be later.
        }
        contexts.endpointEnded(endpoint, !closed);
        arrived.orphan(endpoint);
        int given = 0;
        if (closed) {
            return;
        }
        for (ArrivedMessage excess = arrived.removeExcess(); excess != null; excess = arrived.removeExcess()) {
            discard(excess.info);
            given++;
        }
        if (given > 0) {
            LOG.warn(
                    "gave up messages of ended peers that nobody received; messages={}, limit={} bytes",
                    given,
                    ArrivedMessages.ORPHANS_MAX_BYTES);
        }
    }

    /** Fails the receives that wait for one peer alone. */
    void failReceives(NodePeer peer, Function<NodeReceive, FairleadException> cause) {
        for (NodeReceive receive : waiting.removeIf(candidate -> candidate.peer == peer)) {
            end(receive, cause.apply(receive));
        }
    }

    /** Fails every receive that the engine does not have. */
    void failAll(FairleadException cause) {
        returned.forEach(entry -> end(entry.receive, cause));
        returned.clear();
        waiting.removeIf(_ -> true).forEach(receive -> end(receive, cause));
        unposted.forEach(receive -> receive.fail(loop, cause));
        unposted.clear();
    }

    private void end(NodeReceive receive, FairleadException cause) {
        if (receive.tryMatch()) {
            receive.fail(loop, cause);
        }
    }

    /** Matches a receive with the earliest message that it accepts, or lets it wait in its place. */
    private void place(ReceiveTable.Entry entry) {
        NodeReceive receive = entry.receive;
        ArrivedMessage message = arrived.find(receive);
        if (message != null) {
            if (receive.tryMatch()) {
                arrived.remove(message);
                start(entry, message);
            }
            return;
        }
        FairleadException refusal = refusal(receive);
        if (refusal != null) {
            end(receive, refusal);
        } else {
            waiting.insert(entry);
            news = true;
        }
    }

    private @Nullable FairleadException refusal(NodeReceive receive) {
        if (loop.isStopping()) {
            return Failures.nodeClosed();
        }
        NodePeer peer = receive.peer;
        return peer == null ? null : peer.link().receiveRefusal(receive.tag);
    }

    /** No message comes out of the worker any more. */
    void workerClosed() {
        closed = true;
    }

    private boolean claim() {
        if (closed) {
            return false;
        }
        MessageInfo info = spare.isEmpty() ? worker.newMessageInfo() : spare.pop();
        if (!worker.claim(0, 0, info)) {
            spare.push(info);
            return false;
        }
        Endpoint endpoint = info.source().orElse(null);
        NodePeer source = endpoint == null ? null : peers.apply(endpoint);
        if (source == null || endpoint == null) {
            LOG.warn("gave up a message of an unknown endpoint; tag={}, length={} bytes", info.tag(), info.length());
            discard(info);
        } else {
            ArrivedMessage message = new ArrivedMessage(info, source, endpoint, sequence++);
            if (!contexts.take(message)) {
                offer(message);
            }
        }
        return true;
    }

    /** Matches a message with the earliest receive, or keeps it. */
    void offer(ArrivedMessage message) {
        ReceiveTable.Entry entry = waiting.match(message.source, message.tag);
        if (entry == null) {
            arrived.add(message);
        } else {
            start(entry, message);
        }
    }

    private void start(ReceiveTable.Entry entry, ArrivedMessage message) {
        NodeReceive receive = entry.receive;
        loop.matched(receive);
        if (receive.isTooShortFor(message)) {
            receive.fail(loop, receive.tooShort(message));
            discard(message.info);
            return;
        }
        receive.matched(loop, entry, message);
        // Behind those that wait already, lest two messages of one peer overtake each other on the way to the engine.
        if (!unposted.isEmpty() || !post(receive, message)) {
            unposted.add(receive);
        }
    }

    /** Whether the engine took the message or said why not; false if it has no room now. */
    private boolean post(NodeReceive receive, ArrivedMessage message) {
        long posted;
        try {
            posted = worker.receiveClaimed(
                    message.info, receive.memoryFor(message), 0, receive.room(message), receive, 0);
        } catch (Throwable thrown) {
            // The caller's buffer is of no use any more, but the message is still here.
            receive.fail(loop, thrown);
            offer(message);
            return true;
        }
        if (posted > 0) {
            loop.posted(receive);
        } else if (posted == Endpoint.BACK_PRESSURE) {
            return false;
        } else {
            message.lost = true;
            receive.ended(loop, message, Status.of(posted), 0);
        }
        spare.push(message.info);
        return true;
    }

    /** The information is free for another message. */
    void recycle(MessageInfo info) {
        spare.push(info);
    }

    void discard(MessageInfo info) {
        if (!unwanted.isEmpty() || !take(info)) {
            unwanted.add(info);
        }
    }

    private boolean take(MessageInfo info) {
        long posted = worker.receiveClaimed(info, MemorySegment.NULL, 0, 0, Completion.IGNORE, 0);
        if (posted == Endpoint.BACK_PRESSURE) {
            return false;
        }
        spare.push(info);
        return true;
    }

    private int retry() {
        int events = 0;
        while (!unwanted.isEmpty() && take(unwanted.peek())) {
            unwanted.remove();
            events++;
        }
        while (!unposted.isEmpty()) {
            NodeReceive receive = unposted.peek();
            if (!post(receive, receive.message())) {
                break;
            }
            unposted.remove(receive);
            events++;
        }
        return events;
    }
}
