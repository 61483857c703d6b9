package io.fairlead.cli.soak;

import io.fairlead.ActiveMessage;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.IdleStrategy;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * One end of an endpoint in a round of messages: it sends its own, and compares what arrives with what the other side sends. Both ends are
 * alike. For the thread of its worker.
 */
final class MessageSide implements EndpointHandler, AutoCloseable {
    /** How many messages of this side are on their way at once, and how many receives are posted. */
    private static final int WINDOW = 8;

    private static final int HANDLER = 7;

    private final Worker worker;
    private final Tally tally;
    private final Numbered outgoing;
    private final Numbered incoming;
    private final int[] taggedNumbers;
    private final int[] activeNumbers;
    /** For each receive in the order of posting: the number of its message plus one. */
    private final int[] taggedArrived;

    private final long eagerMax;
    private final boolean isHarmed;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment[] headers = new MemorySegment[WINDOW];
    private final MemorySegment[] sources = new MemorySegment[WINDOW];
    private final MemorySegment[] targets = new MemorySegment[WINDOW];
    private final BitSet sourcesInUse = new BitSet();
    private final BitSet targetsInUse = new BitSet();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final IdleStrategy idle = IdleStrategy.backOff();

    private @Nullable Endpoint endpoint;
    private boolean ended;
    private int posted;
    private int receivesPosted;
    private int activeSeen;
    private int activeOpen;
    private int arrived;

    /** A long active message that is being received. */
    private static final class Waiting {
        private final int number;
        private final ActiveMessage message;
        private final Arena arena = Arena.ofConfined();
        private final MemorySegment buffer;

        Waiting(int number, ActiveMessage message) {
            this.number = number;
            this.message = message;
            buffer = arena.allocate(message.length());
        }
    }

    MessageSide(Worker worker, Round round, Numbered outgoing, Numbered incoming, Tally tally) {
        this.worker = worker;
        this.outgoing = outgoing;
        this.incoming = incoming;
        this.tally = tally;
        isHarmed = !round.incident().isHarmless();
        taggedNumbers = incoming.numbers(false);
        activeNumbers = incoming.numbers(true);
        taggedArrived = new int[taggedNumbers.length];
        eagerMax = worker.context().config().value(ConfigKeys.EAGER_MAX);
        for (int slot = 0; slot < WINDOW; slot++) {
            headers[slot] = arena.allocate(Long.BYTES);
            sources[slot] = arena.allocate(Numbered.LENGTH_MAX);
            targets[slot] = arena.allocate(Numbered.LENGTH_MAX);
        }
        worker.register(HANDLER, this::take);
    }

    @Override
    public void connected(Endpoint connected) {
        endpoint = connected;
    }

    @Override
    public void closed(Endpoint closed) {
        ended = true;
    }

    @Override
    public void failed(Endpoint failed, FairleadException cause) {
        if (!isHarmed) {
            tally.fault("the endpoint failed although nothing went wrong: %s", cause);
        }
        ended = true;
    }

    boolean isEnded() {
        return ended;
    }

    /** Grows with each message that was posted or has arrived. */
    long progress() {
        return (long) posted + arrived;
    }

    /** How many messages it has posted. */
    int posted() {
        return posted;
    }

    /** Whether all of this side has been sent, and all of the other has arrived. */
    boolean isFinished() {
        return posted == outgoing.count() && sourcesInUse.isEmpty() && arrived == incoming.count();
    }

    @Nullable Endpoint endpoint() {
        return endpoint;
    }

    /** Does what can be done now, and one turn of the worker. */
    void turn() {
        if (endpoint != null && !ended) {
            post(endpoint);
            receive(endpoint);
            receiveWaiting();
        }
        idle.idle(worker, worker.progress());
    }

    private void post(Endpoint to) {
        int slot = sourcesInUse.nextClearBit(0);
        if (slot >= WINDOW || posted == outgoing.count()) {
            return;
        }
        int number = posted;
        int length = outgoing.length(number);
        outgoing.fill(sources[slot], number);
        long request = switch (outgoing.kind(number)) {
            case TAGGED -> to.send(sources[slot], 0, length, number, this::sent, slot);
            case SYNCHRONOUS -> to.sendSynchronous(sources[slot], 0, length, number, this::sent, slot);
            case ACTIVE -> {
                headers[slot].set(ValueLayout.JAVA_LONG, 0, number);
                yield to.sendActive(HANDLER, headers[slot], sources[slot], 0, length, this::sent, slot);
            }
        };
        if (request >= 0) {
            sourcesInUse.set(slot);
            posted++;
            tally.count();
        }
    }

    private void sent(Request request) {
        int slot = (int) request.userData();
        if (!sourcesInUse.get(slot)) {
            tally.fault("an operation completed twice: request=%d, status=%s", request.id(), request.status());
        }
        sourcesInUse.clear(slot);
        if (request.status() != Status.OK) {
            tally.countFailure();
        }
    }

    private void receive(Endpoint from) {
        int slot = targetsInUse.nextClearBit(0);
        if (slot >= WINDOW || receivesPosted == taggedNumbers.length) {
            return;
        }
        long place = (long) receivesPosted * WINDOW + slot;
        if (from.receive(targets[slot], 0, Numbered.LENGTH_MAX, 0, 0, this::received, place) >= 0) {
            targetsInUse.set(slot);
            receivesPosted++;
        }
    }

    private void received(Request request) {
        int slot = (int) (request.userData() % WINDOW);
        if (!targetsInUse.get(slot)) {
            tally.fault("a receive completed twice: request=%d, status=%s", request.id(), request.status());
        }
        targetsInUse.clear(slot);
        if (request.status() == Status.OK) {
            int place = (int) (request.userData() / WINDOW);
            taggedArrived[place] = (int) request.tag() + 1;
            check((int) request.tag(), request.length(), targets[slot]);
        } else if (request.status() == Status.TRUNCATED) {
            tally.fault("a message was too long: tag=%d, length=%d", request.tag(), request.length());
        }
    }

    private void check(int number, long length, MemorySegment content) {
        tally.count();
        arrived++;
        if (number < 0 || number >= incoming.count() || length != incoming.length(number)) {
            tally.fault("a message arrived that was not sent: number=%d, length=%d", number, length);
        } else if (!incoming.matches(content, number)) {
            tally.fault("a message was damaged: number=%d, length=%d", number, length);
        }
    }

    /**
     * The receives match in the order in which they were posted, whichever of them ends first. Of messages that waited for a receive, those that stay
     * with their sender until then go with its endpoint.
     */
    private void judgeOrder() {
        int due = 0;
        for (int place = 0; place < receivesPosted; place++) {
            int number = taggedArrived[place] - 1;
            if (number < 0) {
                continue;
            }
            while (due < taggedNumbers.length
                    && taggedNumbers[due] < number
                    && isHarmed
                    && staysWithItsSender(taggedNumbers[due])) {
                due++;
            }
            if (due == taggedNumbers.length || taggedNumbers[due] != number) {
                tally.fault(
                        "messages were lost, doubled or overtaken: number=%d, due=%s",
                        number, due == taggedNumbers.length ? "none" : describe(taggedNumbers[due]));
                return;
            }
            due++;
        }
    }

    private boolean staysWithItsSender(int number) {
        return incoming.length(number) > eagerMax || incoming.kind(number) == Numbered.Kind.SYNCHRONOUS;
    }

    private String describe(int number) {
        return number + " (" + incoming.kind(number) + ", length=" + incoming.length(number) + ")";
    }

    private void take(ActiveMessage message) {
        long told = message.headerLength() == Long.BYTES ? message.buffer().get(ValueLayout.JAVA_LONG, 0) : -1;
        if (activeSeen == activeNumbers.length) {
            tally.fault("more active messages arrived than were sent: number=%d", told);
            return;
        }
        int number = activeNumbers[activeSeen++];
        while (told != number && isHarmed && staysWithItsSender(number) && activeSeen < activeNumbers.length) {
            number = activeNumbers[activeSeen++];
        }
        if (told != number) {
            tally.fault("active messages were lost, doubled or overtaken: number=%d, due=%s", told, describe(number));
        } else if (message.isWhole()) {
            check(number, message.length(), message.payload());
        } else {
            message.keep();
            waiting.add(new Waiting(number, message));
        }
    }

    private void receiveWaiting() {
        while (!waiting.isEmpty()) {
            Waiting first = waiting.getFirst();
            long request = first.message.receive(first.buffer, arrival -> end(first, arrival));
            if (request == Endpoint.BACK_PRESSURE) {
                return;
            }
            waiting.removeFirst();
            if (request >= 0) {
                activeOpen++;
            } else {
                first.message.release();
                first.arena.close();
            }
        }
    }

    private void end(Waiting arrival, Request request) {
        activeOpen--;
        if (request.status() == Status.OK) {
            check(arrival.number, request.length(), arrival.buffer);
        }
        arrival.message.release();
        arrival.arena.close();
    }

    /** Gives what is still open the time to complete, and says what must have happened in a round. */
    void judge(Deadline deadline) {
        deadline.drive(worker, this::isQuiet);
        if (!isQuiet()) {
            tally.fault(
                    "operations of an ended endpoint did not complete: sends=%s, receives=%s, active messages=%d",
                    sourcesInUse, targetsInUse, activeOpen);
        }
        judgeOrder();
        if (!isHarmed && !isFinished()) {
            tally.fault(
                    "messages were lost: sent=%d of %d, arrived=%d of %d",
                    posted, outgoing.count(), arrived, incoming.count());
        }
    }

    private boolean isQuiet() {
        return sourcesInUse.isEmpty() && targetsInUse.isEmpty() && activeOpen == 0;
    }

    /** For use when its worker has closed: everything has completed then. */
    @Override
    public void close() {
        waiting.forEach(left -> left.arena.close());
        arena.close();
    }
}
