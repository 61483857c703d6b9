package io.fairlead.spi.served;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What one endpoint asks its peer to do on the peer's regions: puts, gets, atomics and flushes, in the order of their posts. Belongs to the
 * worker's thread.
 *
 * <p>Operations are cut into requests that the channel carries. At most {@link ServedLimits#window} requests are without an answer at a time; what
 * is posted beyond waits here, linked by {@link Operation#next}, bounded by the core's limit on operations. Answers come in the order of the
 * requests, so that a flush ends when everything before it is answered: it costs a request of its own only behind puts that have none to
 * come.
 */
public final class RemoteRequester {
    /** Above the bytes of an operation that have been asked for, its word has what it is, and whether a fence is in front of it. */
    private static final int KIND_SHIFT = 56;

    private static final long DONE_MASK = (1L << KIND_SHIFT) - 1;
    private static final int KIND_MASK = 0xF;
    private static final long FENCED = 1L << 60;

    private final ServedChannel channel;
    private final ServedLimits limits;
    private final ServedMessage out = new ServedMessage();
    private final Unanswered unanswered;
    /** Operations of which something is still to be asked, or is leaving. */
    private @Nullable Operation first;

    private @Nullable Operation last;
    /** The operation whose post is running, if nothing was before it. */
    private @Nullable Operation posted;

    /** What is posted next is behind a fence. */
    private boolean fenced;
    /** A part of the first operation is with the channel, which reads it where it is. */
    private boolean borrowed;

    private boolean requester;

    /**
     * Makes the asking side of an endpoint.
     *
     * @param host the endpoint
     * @param channel carries the requests
     * @param limits the same as the peer's
     */
    public RemoteRequester(EndpointHost host, ServedChannel channel, ServedLimits limits) {
        this.channel = channel;
        this.limits = limits;
        this.unanswered = new Unanswered(host, channel, this::resume);
    }

    // Posts. What a post throws because its memory is closed leaves the operation as it was; it has then not been
    // taken.

    /**
     * Takes a put. It completes when its data may be reused, or {@code CANCELLED} if it had to wait and its memory was closed before any of it left.
     *
     * @param operation a put whose remote side is a {@link ServedMemory}
     */
    public void put(Operation operation) {
        post(operation, ServedMessage.PUT);
    }

    /**
     * Takes a get. It completes when its data is here, or {@code REVOKED}.
     *
     * @param operation a get whose remote side is a {@link ServedMemory}
     */
    public void get(Operation operation) {
        post(operation, ServedMessage.GET);
    }

    /**
     * Takes an atomic. It completes with the old value, or {@code REVOKED}.
     *
     * @param operation an atomic whose remote side is a {@link ServedMemory}
     */
    public void atomic(Operation operation) {
        post(operation, ServedMessage.ATOMIC);
    }

    /**
     * Takes a flush. It completes when everything before it has been done by the peer, {@code REVOKED} if a put since the last flush was refused.
     *
     * @param operation a flush
     */
    public void flush(Operation operation) {
        if (isIdle()) {
            operation.complete(unanswered.flushed(), 0);
        } else {
            post(operation, ServedMessage.FLUSH);
        }
    }

    /**
     * Orders what is posted from now on behind the gets before it, whose data the peer may read after it has taken a put that came later. Between all
     * others there is an order anyway. A transport whose channel is never full for an answer need not call this: its peer reads the data at once.
     */
    public void fence() {
        fenced = true;
    }

    private void post(Operation operation, int kind) {
        boolean waits = fenced && (unanswered.hasGets() || first != null);
        fenced = false;
        operation.word = (long) kind << KIND_SHIFT | (waits ? FENCED : 0);
        operation.next = null;
        Operation tail = last;
        last = operation;
        if (tail != null) {
            tail.next = operation;
            return;
        }
        first = operation;
        posted = operation;
        try {
            ask();
        } finally {
            posted = null;
        }
    }

    /** Asks for what waits, as far as window and channel have room. To be called whenever one of them, or {@link ServedChannel#mayAsk}, may have more. */
    public void resume() {
        if (first != null) {
            ask();
        }
    }

    /** The channel has read the last byte of what it borrowed. Asks nothing by itself: {@link #resume} does. */
    public void left() {
        borrowed = false;
        Operation operation = first;
        if (operation != null && (operation.word & DONE_MASK) == operation.length()) {
            take(operation);
            operation.complete(Status.OK, operation.length());
        }
    }

    /** A put that went another way than through here was refused, so that the next flush tells. */
    public void refused() {
        unanswered.refused();
    }

    /**
     * Whether something waits for room in the window or in the channel, or is borrowed by it.
     *
     * @return true if {@link #resume} is to be called
     */
    public boolean isWaiting() {
        return first != null;
    }

    /**
     * Whether the peer has done everything that was asked of it, as far as is known here.
     *
     * @return true if nothing waits and nothing is without an answer
     */
    public boolean isIdle() {
        return first == null && unanswered.isIdle();
    }

    /**
     * Whether everything is with the channel, and what needs an answer has it.
     *
     * @return true if nothing more is to be asked and no operation is open
     */
    public boolean isDrained() {
        return first == null && unanswered.isDrained();
    }

    private void take(Operation operation) {
        first = operation.next;
        if (first == null) {
            last = null;
        }
        operation.next = null;
    }

    private void ask() {
        if (requester) {
            // A completion that runs inside the call, or mayAsk(), has come back here; the loop below goes on with it.
            return;
        }
        requester = true;
        try {
            boolean goesOn = true;
            while (goesOn && first != null && !borrowed && unanswered.count() < limits.window() && channel.mayAsk()) {
                Operation operation = first;
                goesOn = operation != null && !isHeldByFence(operation) && ask(operation);
            }
        } finally {
            requester = false;
        }
    }

    private boolean isHeldByFence(Operation operation) {
        return (operation.word & FENCED) != 0 && unanswered.hasGets();
    }

    /** Asks for the next part of the first operation; false if the channel has no room for it, or the endpoint fails. */
    private boolean ask(Operation operation) {
        return switch ((int) (operation.word >>> KIND_SHIFT) & KIND_MASK) {
            case ServedMessage.PUT -> askPut(operation);
            case ServedMessage.GET -> askGet(operation);
            case ServedMessage.ATOMIC -> askAtomic(operation);
            default -> askFlush(operation);
        };
    }

    private static long region(Operation operation) {
        return ((ServedMemory) operation.remote()).regionId();
    }

    // The operation of the running post is meant, and no other that equals it.
    @SuppressWarnings("ReferenceEquality")
    private boolean askPut(Operation operation) {
        long done = operation.word & DONE_MASK;
        int part = (int) Math.min(operation.length() - done, limits.dataMax());
        boolean isLast = done + part == operation.length();
        boolean isAnswered = unanswered.silentPuts() + 1 == limits.putsPerAnswer();
        int flags = (isAnswered ? ServedMessage.ANSWERED : 0)
                | (isLast && operation.hasSignal() ? ServedMessage.SIGNAL : 0);
        out.request(ServedMessage.PUT, flags, region(operation), operation.remoteOffset() + done, operation.operand());
        out.data(operation.buffer(), operation.offset() + done, part);
        ServedChannel.Outcome outcome;
        try {
            outcome = channel.send(out);
        } catch (RuntimeException | Error thrown) {
            if (operation == posted && done == 0) {
                // The core takes it back.
                take(operation);
                operation.word = 0;
                throw thrown;
            }
            if (!(thrown instanceof IllegalStateException closed)) {
                throw thrown;
            }
            if (done == 0) {
                // Nothing of it has left, so that the peer need not hear of it.
                take(operation);
                operation.complete(Status.CANCELLED, 0);
                return true;
            }
            channel.memoryClosed(closed);
            return false;
        } finally {
            out.forget();
        }
        if (outcome == ServedChannel.Outcome.FULL) {
            return false;
        }
        operation.word += part;
        if (isAnswered) {
            unanswered.add(ServedMessage.PUT, null);
        } else {
            unanswered.addSilentPut();
        }
        if (outcome == ServedChannel.Outcome.BORROWED) {
            borrowed = true;
        } else if (isLast) {
            take(operation);
            operation.complete(Status.OK, operation.length());
        }
        return true;
    }

    private boolean askGet(Operation operation) {
        long done = operation.word & DONE_MASK;
        long part = Math.min(operation.length() - done, limits.getMax());
        boolean isLast = done + part == operation.length();
        out.request(ServedMessage.GET, 0, region(operation), operation.remoteOffset() + done, part);
        if (channel.send(out) == ServedChannel.Outcome.FULL) {
            return false;
        }
        operation.word += part;
        if (isLast) {
            take(operation);
        }
        unanswered.addGet(operation, done, part);
        return true;
    }

    private boolean askAtomic(Operation operation) {
        out.request(
                ServedMessage.ATOMIC,
                ServedMessage.code(operation.atomic()),
                region(operation),
                operation.remoteOffset(),
                operation.operand());
        out.compare = operation.compare();
        if (channel.send(out) == ServedChannel.Outcome.FULL) {
            return false;
        }
        take(operation);
        unanswered.add(ServedMessage.ATOMIC, operation);
        return true;
    }

    private boolean askFlush(Operation operation) {
        if (unanswered.isIdle()) {
            take(operation);
            operation.complete(unanswered.flushed(), 0);
            return true;
        }
        boolean needsRequest = unanswered.silentPuts() > 0;
        if (needsRequest) {
            out.request(ServedMessage.FLUSH, 0, 0, 0, 0);
            if (channel.send(out) == ServedChannel.Outcome.FULL) {
                return false;
            }
        }
        take(operation);
        if (needsRequest) {
            unanswered.add(ServedMessage.FLUSH, operation);
        } else {
            unanswered.addMarker(operation);
        }
        return true;
    }

    /**
     * The peer has answered the oldest request, and all of the answer is here.
     *
     * @param answer the answer, checked and read
     * @param data where the data of a get is
     * @param at its first byte there
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if nothing was asked, or something else; the transport fails the endpoint with it
     */
    public void answered(ServedMessage answer, MemorySegment data, long at) {
        unanswered.answered(answer, data, at);
    }

    /**
     * The peer has answered the oldest request, a get, with data that comes in pieces.
     *
     * @param answer the answer, checked and read
     * @return takes the data
     * @throws FairleadException as {@link #answered}
     */
    public Intake begin(ServedMessage answer) {
        return unanswered.begin(answer);
    }

    /**
     * Cancels every operation that is open: the endpoint has ended. Nothing may be posted or answered afterwards, and what the channel has borrowed
     * is not read any more.
     */
    public void cancel() {
        unanswered.cancel();
        for (Operation operation = first; operation != null; operation = first) {
            take(operation);
            operation.complete(Status.CANCELLED, 0);
        }
    }
}
