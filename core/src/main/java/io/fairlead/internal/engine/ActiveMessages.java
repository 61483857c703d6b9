package io.fairlead.internal.engine;

import io.fairlead.ActiveMessage;
import io.fairlead.ActiveMessageHandler;
import io.fairlead.Completion;
import io.fairlead.Status;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.spi.EagerPool;
import io.fairlead.spi.LayerWorker;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The active messages of a worker: the handlers by number, the memory of messages, and those that wait for their
 * handlers. A transport receives an eager message into memory of this class, so that it reads each byte of the peer
 * once. The turn of progress then calls the handlers, outside of the transport.
 */
final class ActiveMessages implements DutyCycle.MessageWork, CoreActiveMessage.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(ActiveMessageHandler.class);

    private final ReceiveMatching matching;
    private final HeldMessages held;
    private final CompletionDelivery completions;
    private final WorkerThread thread;
    private final TurnWork work;
    private final @Nullable ActiveMessageHandler[] handlers =
            new @Nullable ActiveMessageHandler[LayerWorker.LAYER_HANDLER_MAX + 1];
    private final EagerPool memory = new EagerPool();
    private final ArrayList<CoreActiveMessage> pool = new ArrayList<>();
    private final ArrayDeque<CoreActiveMessage> ready = new ArrayDeque<>();
    private boolean closed;

    /** Creates it without handlers; {@code work} is notified of messages. */
    ActiveMessages(ReceiveMatching matching, CompletionDelivery completions, WorkerThread thread, TurnWork work) {
        this.matching = matching;
        this.held = matching.held();
        this.completions = completions;
        this.thread = thread;
        this.work = work;
    }

    // Handlers.

    void register(int number, int min, int max, ActiveMessageHandler handler) {
        Objects.requireNonNull(handler, "handler");
        Checks.handler(number, min, max);
        if (handlers[number] != null) {
            throw new IllegalStateException("handler number is taken: number=" + number + "; unregister it first");
        }
        handlers[number] = handler;
    }

    /** Registers the handler of a layer's number for one endpoint. */
    void register(int number, CoreEndpoint endpoint, ActiveMessageHandler handler) {
        Objects.requireNonNull(handler, "handler");
        Checks.handler(number, LayerWorker.LAYER_HANDLER_MIN, LayerWorker.LAYER_HANDLER_MAX);
        endpoint.active().register(number, handler);
    }

    void unregister(int number, int min, int max) {
        Checks.handler(number, min, max);
        handlers[number] = null;
    }

    // Arrivals, inside a transport.

    /** An eager message has begun to arrive. The result has a receive for header and payload. */
    CoreArrival arrived(CoreEndpoint from, int number, int headerLength, long total, long cost) {
        ActiveInbox inbox = from.active();
        CoreActiveMessage message = take(from, number, headerLength, total - headerLength, cost, (int) total);
        message.state = CoreActiveMessage.ARRIVING;
        message.isWhole = true;
        CoreArrival arrival = held.arrival(from, 0, total);
        arrival.operation = message.receive;
        message.arrival = arrival;
        inbox.add(message);
        return arrival;
    }

    /** A message has arrived whole: copies it. */
    void take(
            CoreEndpoint from, int number, int headerLength, MemorySegment bytes, long offset, long total, long cost) {
        ActiveInbox inbox = from.active();
        CoreActiveMessage message = take(from, number, headerLength, total - headerLength, cost, (int) total);
        MemorySegment.copy(bytes, offset, message.memory, 0, total);
        message.state = CoreActiveMessage.READY;
        message.isWhole = true;
        if (inbox.isEmpty() && !inbox.broken && from.lifecycle().isAnnounced()) {
            addReady(message);
        } else {
            inbox.add(message);
            advance(from);
        }
    }

    private void addReady(CoreActiveMessage message) {
        ready.add(message);
        work.messages++;
        work.calls++;
    }

    /** A message whose payload is at the sender has arrived. */
    CoreArrival announced(
            CoreEndpoint from,
            int number,
            MemorySegment header,
            long offset,
            int headerLength,
            long length,
            long cost) {
        ActiveInbox inbox = from.active();
        CoreActiveMessage message = take(from, number, headerLength, length, cost, headerLength);
        MemorySegment.copy(header, offset, message.memory, 0, headerLength);
        message.state = CoreActiveMessage.READY;
        message.isAtSender = true;
        CoreArrival arrival = held.arrival(from, 0, length);
        message.arrival = arrival;
        inbox.addAtSender(message);
        inbox.add(message);
        if (!inbox.broken) {
            // Otherwise it ends with its endpoint: the transport is still to fill the arrival.
            advance(from);
        }
        return arrival;
    }

    private CoreActiveMessage take(CoreEndpoint from, int number, int headerLength, long length, long cost, int bytes) {
        CoreActiveMessage message = pool.isEmpty() ? new CoreActiveMessage(this) : pool.removeLast();
        EagerPool.Slab slab = memory.take(bytes);
        message.slab = slab;
        message.block = slab.taken();
        message.memory = slab.segment(message.block);
        message.from = from;
        message.number = number;
        message.headerLength = headerLength;
        message.length = length;
        message.cost = cost;
        message.isWhole = false;
        message.isAtSender = false;
        return message;
    }

    @Override
    public void ended(CoreActiveMessage message, Status status) {
        CoreArrival arrival = Objects.requireNonNull(message.arrival, "arrival");
        message.arrival = null;
        held.release(arrival);
        if (message.state == CoreActiveMessage.DISCARDED) {
            recycle(message);
        } else {
            message.state = status == Status.OK ? CoreActiveMessage.READY : CoreActiveMessage.LOST;
            advance(sourceOf(message));
        }
    }

    /** Passes on the messages of an endpoint that wait for no earlier one, once its handler was notified of it. */
    void advance(CoreEndpoint from) {
        ActiveInbox inbox = from.usedActive();
        if (inbox == null || (!from.lifecycle().isAnnounced() && !inbox.broken)) {
            return;
        }
        for (CoreActiveMessage message = inbox.poll(); message != null; message = inbox.poll()) {
            inbox.broken |= message.state == CoreActiveMessage.LOST;
            if (inbox.broken) {
                end(message);
            } else {
                addReady(message);
            }
        }
    }

    private static CoreEndpoint sourceOf(CoreActiveMessage message) {
        return HeldMessages.endpointOf(Objects.requireNonNull(message.from, "from"));
    }

    // The turn of progress.

    /** Calls the handlers of the messages that have arrived. They cause no new arrivals: those need a transport's turn. */
    @Override
    public int drain() {
        int count = ready.size();
        work.messages -= count;
        work.calls -= count;
        for (int i = 0; i < count; i++) {
            deliver(ready.remove());
        }
        return count;
    }

    private void deliver(CoreActiveMessage message) {
        CoreEndpoint from = sourceOf(message);
        if (from.lifecycle().isOver()) {
            end(message);
            return;
        }
        ActiveMessageHandler handler = handlerOf(message.number, from);
        if (handler == null) {
            from.counters().add(Counter.MESSAGES_UNHANDLED, 1);
            end(message);
            return;
        }
        if (message.isWhole) {
            from.counters().countOperation(CoreOperation.RECEIVE, Status.OK, message.length);
        }
        message.state = CoreActiveMessage.HANDLED;
        try {
            handler.received(message);
        } catch (Throwable thrown) {
            Callbacks.logThrown(
                    LOG, thrown, "an active message handler threw; number={}, endpoint={}", message.number, from);
        }
        if (message.state == CoreActiveMessage.HANDLED) {
            end(message);
        }
    }

    /** An application's numbers are not those of an exclusive endpoint, and a layer may have its own for the endpoint. */
    private @Nullable ActiveMessageHandler handlerOf(int number, CoreEndpoint from) {
        if (number <= ActiveMessage.HANDLER_MAX) {
            return from.isExclusive() ? null : handlers[number];
        }
        ActiveMessageHandler handler = handlers[number];
        return handler != null ? handler : from.active().handlerOf(number);
    }

    // Called by the application.

    @Override
    public void keep(CoreActiveMessage message) {
        thread.check();
        if (message.state == CoreActiveMessage.HANDLED) {
            message.state = CoreActiveMessage.KEPT;
            message.isPrivate = true;
        } else if (message.state != CoreActiveMessage.KEPT) {
            throw new IllegalStateException("active message is released; keep it inside its handler's call");
        }
    }

    @Override
    public long receive(
            CoreActiveMessage message,
            MemorySegment buffer,
            long offset,
            long length,
            Completion completion,
            long userData) {
        completions.checkNotAsking("receive");
        Checks.target("receive", thread, buffer, offset, length);
        Objects.requireNonNull(completion, "completion");
        if (!message.isAtSender) {
            throw new IllegalStateException("payload of an active message is here, or its receive was posted: length="
                    + message.length + " bytes");
        }
        CoreEndpoint from = sourceOf(message);
        CoreArrival arrival = message.arrival;
        if (arrival == null) {
            return from.terminalStatus().code();
        }
        if (!completions.pool().hasRoomForMatched()) {
            return from.backPressure();
        }
        message.arrival = null;
        message.isAtSender = false;
        from.active().removeAtSender(message);
        // The match returns the rest.
        message.cost -= Credits.MESSAGE_COST;
        return matching.receive(arrival, buffer, offset, length, completion, userData);
    }

    @Override
    public void release(CoreActiveMessage message) {
        if (message.state == CoreActiveMessage.KEPT) {
            thread.check();
            if (!closed) {
                end(message);
            }
        }
    }

    /** The message is not needed any more. */
    private void end(CoreActiveMessage message) {
        CoreEndpoint from = sourceOf(message);
        if (!closed) {
            memory.giveBack(Objects.requireNonNull(message.slab, "slab"), message.block);
        }
        message.slab = null;
        message.memory = MemorySegment.NULL;
        from.lifecycle().returnCost(message.cost);
        CoreArrival arrival = message.arrival;
        if (arrival == null) {
            recycle(message);
            return;
        }
        message.state = CoreActiveMessage.DISCARDED;
        from.active().removeAtSender(message);
        if (from.active().broken || from.lifecycle().isEnding()) {
            // A transport may be inside its close.
            from.discard(arrival);
            ended(message, Status.CANCELLED);
        } else {
            discard(from, message, arrival);
        }
    }

    /** Asks the sender for none of the payload, which ends its send. */
    private void discard(CoreEndpoint from, CoreActiveMessage message, CoreArrival arrival) {
        arrival.operation = message.receive;
        try {
            from.lifecycle().transport().deliver(arrival);
        } catch (Throwable thrown) {
            from.lifecycle().failThrown(thrown);
            if (arrival.equals(message.arrival)) {
                from.discard(arrival);
                ended(message, Status.CANCELLED);
            }
        }
    }

    private void recycle(CoreActiveMessage message) {
        message.state = CoreActiveMessage.FREE;
        message.from = null;
        if (!message.isPrivate) {
            pool.add(message);
        }
    }

    // Ends.

    /** The endpoint has ended: payloads at its peer will not arrive. */
    void end(CoreEndpoint endpoint) {
        ActiveInbox inbox = endpoint.usedActive();
        if (inbox == null) {
            return;
        }
        for (CoreActiveMessage message : inbox.takeAtSender()) {
            CoreArrival arrival = message.arrival;
            if (arrival != null) {
                message.arrival = null;
                endpoint.discard(arrival);
                held.release(arrival);
            }
        }
    }

    /** The endpoint's handler has had its last call: nothing of the endpoint is handled any more. */
    void drop(CoreEndpoint endpoint) {
        ActiveInbox inbox = endpoint.usedActive();
        if (inbox != null) {
            inbox.broken = true;
            advance(endpoint);
        }
    }

    /** The worker has ended, and its transports have: frees all memory, including kept messages. */
    void close() {
        closed = true;
        ready.clear();
        memory.close();
    }
}
