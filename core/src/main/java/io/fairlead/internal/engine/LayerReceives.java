package io.fairlead.internal.engine;

import io.fairlead.internal.log.Callbacks;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.LayerHandler;
import io.fairlead.spi.LayerReceive;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receives the layers' own messages. No receive is posted for them: each gets one when it has arrived. */
final class LayerReceives {
    private static final Logger LOG = LoggerFactory.getLogger(LayerHandler.class);

    /** A message that its layer receives once an operation is free for it. */
    private record Postponed(LayerReceive how, CoreMessageInfo message) {}

    private final ReceiveMatching matching;
    private final HeldMessages held;
    private final OperationPool pool;
    private final WorkerStatistics statistics;
    private final WorkerThread thread;
    private final TurnWork work;
    private final CoreMessageInfo asked;
    private final Deque<Postponed> postponed = new ArrayDeque<>();

    LayerReceives(
            ReceiveMatching matching,
            HeldMessages held,
            OperationPool pool,
            WorkerStatistics statistics,
            WorkerThread thread,
            TurnWork work) {
        this.matching = matching;
        this.held = held;
        this.pool = pool;
        this.statistics = statistics;
        this.thread = thread;
        this.work = work;
        this.asked = held.newMessageInfo();
    }

    /** Receives a new message, if the layer takes it. */
    boolean tryTake(CoreArrival arrival) {
        LayerReceive how = ask(HeldMessages.endpointOf(arrival), arrival.tag, arrival.length);
        if (isNone(how)) {
            return false;
        }
        CoreOperation receive = postponed.isEmpty() ? take(how) : null;
        if (receive == null) {
            postpone(how, arrival);
        } else {
            matching.bind(receive, arrival);
        }
        return true;
    }

    /** Receives a message that was kept until the handler was notified of the endpoint. */
    boolean tryTakeHeld(CoreArrival arrival) {
        LayerReceive how = ask(HeldMessages.endpointOf(arrival), arrival.tag, arrival.length);
        if (isNone(how)) {
            return false;
        }
        held.remove(arrival);
        CoreOperation receive = postponed.isEmpty() ? take(how) : null;
        if (receive == null) {
            postpone(how, arrival);
        } else {
            matching.deliver(receive, arrival);
        }
        return true;
    }

    private void postpone(LayerReceive how, CoreArrival arrival) {
        postponed.add(new Postponed(how, held.claim(arrival)));
        work.following = true;
    }

    /** The receive for a complete message; null if the layer does not take it, or no operation is free now. */
    @Nullable CoreOperation match(CoreEndpoint from, long tag, long length) {
        if (!postponed.isEmpty() || !pool.hasRoomForMatched()) {
            return null;
        }
        LayerReceive how = ask(from, tag, length);
        return isNone(how) ? null : take(how);
    }

    /** Whether messages wait for an operation. */
    boolean isWaiting() {
        return !postponed.isEmpty();
    }

    /** Receives the messages that waited for an operation. */
    int retry() {
        if (postponed.isEmpty()) {
            return 0;
        }
        int events = 0;
        while (!postponed.isEmpty() && pool.hasRoomForMatched()) {
            Postponed next = postponed.remove();
            events++;
            receive(next.how, next.message);
        }
        return events;
    }

    private void receive(LayerReceive how, CoreMessageInfo message) {
        CoreOperation receive = take(how);
        if (receive == null || !message.isClaimed()) {
            return;
        }
        CoreArrival arrival = held.claimed(message);
        held.removeClaimed(message);
        if (arrival.dead) {
            receive.tag = arrival.tag;
            receive.cancel(HeldMessages.endpointOf(arrival).terminalStatus());
            held.release(arrival);
        } else {
            matching.deliver(receive, arrival);
        }
    }

    private LayerReceive ask(CoreEndpoint from, long tag, long length) {
        asked.fill(from.self(), tag, length, from.handler().nextPreface());
        return from.handler().receive(asked);
    }

    private static boolean isNone(LayerReceive how) {
        return how.equals(LayerReceive.NONE);
    }

    /** A receive that need not wait for a message; null if no operation is free. */
    private @Nullable CoreOperation take(LayerReceive how) {
        CoreOperation receive = pool.takeMatched();
        if (receive != null) {
            long startedNs = statistics.sampleStart();
            MemorySegment buffer = buffer(how);
            receive.prepare(CoreOperation.RECEIVE, null, how, 0, startedNs, buffer, 0, buffer.byteSize());
        }
        return receive;
    }

    private MemorySegment buffer(LayerReceive how) {
        try {
            MemorySegment buffer = how.buffer();
            Checks.target("receive", thread, buffer, 0, buffer.byteSize());
            return buffer;
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "a layer has no buffer for one of its own messages, which is lost");
            return MemorySegment.NULL;
        }
    }
}
