package io.fairlead.spi.served;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The requesting side of an endpoint: sends the puts, gets, atomics and flushes on the peer's regions as requests, in
 * the order of their posts. Belongs to the worker's thread.
 *
 * <p>Each operation becomes one or more requests. At most {@link ServedLimits#window} requests are unanswered at a
 * time. Further operations wait here, linked by {@link Operation#next}; the core's limit on operations bounds their
 * number. Answers arrive in the order of the requests, so a flush completes when everything before it is answered. A
 * flush needs its own request only if the last put before it requested no answer.
 */
public final class RemoteRequester {
    /**
     * {@link Operation#word} has the bytes requested so far in its low bits, and above them the kind of operation and
     * the flag of a preceding fence.
     */
    private static final int KIND_SHIFT = 56;

    private static final long DONE_MASK = (1L << KIND_SHIFT) - 1;
    private static final int KIND_MASK = 0xF;
    private static final long FENCED = 1L << 60;

    private final ServedChannel channel;
    private final ServedLimits limits;
    private final ServedMessage out = new ServedMessage();
    private final Unanswered unanswered;
    /** The operations that are not completely requested, or whose data the channel still reads; linked. */
    private @Nullable Operation first;

    private @Nullable Operation last;
    /** The operation whose post is running, if no other operation is waiting. */
    private @Nullable Operation posted;

    /** A fence was called since the last post. */
    private boolean fenced;
    /** The channel has borrowed data of the first operation. */
    private boolean borrowed;

    private boolean requester;

    /**
     * Creates the requesting side of an endpoint.
     *
     * @param host the core's side of the endpoint
     * @param channel carries the requests
     * @param limits the limits, the same as the peer's
     */
    public RemoteRequester(EndpointHost host, ServedChannel channel, ServedLimits limits) {
        this.channel = channel;
        this.limits = limits;
        this.unanswered = new Unanswered(host, channel, this::resume);
    }

    // Posts. If a post throws because its memory is closed, the operation is unchanged and not accepted.

    /**
     * Posts a put; never refused. It completes when its data may be reused; with {@code CANCELLED} if it had to wait
     * and its memory was closed before any of it was sent.
     *
     * @param operation a put whose remote side is a {@link ServedMemory}
     */
    public void put(Operation operation) {
        post(operation, ServedMessage.PUT);
    }

    /**
     * Posts a get; never refused. It completes when its data is in the local buffer; with {@code REVOKED} if the region
     * is closed.
     *
     * @param operation a get whose remote side is a {@link ServedMemory}
     */
    public void get(Operation operation) {
        post(operation, ServedMessage.GET);
    }

    /**
     * Posts an atomic; never refused. It completes with the previous value of the word; with {@code REVOKED} if the
     * region is closed.
     *
     * @param operation an atomic whose remote side is a {@link ServedMemory}
     */
    public void atomic(Operation operation) {
        post(operation, ServedMessage.ATOMIC);
    }

    /**
     * Posts a flush; never refused. It completes when the peer has served everything before it; with {@code REVOKED} if
     * the peer has refused a put since the last flush.
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
     * Orders later posts after the gets before it. Without a fence the peer may write the data of a later put
     * before it reads the data of a get. All other operations are ordered anyway. A transport whose channel always has
     * capacity for an answer need not call this, because its peer reads the data of a get at once.
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

    /**
     * Sends requests of the waiting operations, as far as window and channel allow. The transport calls this whenever
     * the channel may have capacity again or {@link ServedChannel#mayAsk} may have become true.
     */
    public void resume() {
        if (first != null) {
            ask();
        }
    }

    /** Reports that the channel has read the last byte of the borrowed data. Sends nothing: {@link #resume} does. */
    public void left() {
        borrowed = false;
        Operation operation = first;
        if (operation != null && (operation.word & DONE_MASK) == operation.length()) {
            take(operation);
            operation.complete(Status.OK, operation.length());
        }
    }

    /**
     * Records that the peer has refused a put that the transport did by other means. The next flush then completes with
     * {@code REVOKED}.
     */
    public void refused() {
        unanswered.refused();
    }

    /**
     * Whether operations wait for the window or the channel, or the channel has borrowed data.
     *
     * @return true if {@link #resume} must be called later
     */
    public boolean isWaiting() {
        return first != null;
    }

    /**
     * Whether the peer is known to have served every operation.
     *
     * @return true if no operation waits and no request is unanswered
     */
    public boolean isIdle() {
        return first == null && unanswered.isIdle();
    }

    /**
     * Whether all operations have completed and the channel has all requests. Unlike {@link #isIdle}, unanswered puts
     * do not count.
     *
     * @return true if no operation waits and none is in flight
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
            // A completion inside the call, or mayAsk(), has called this again; the loop below continues with it.
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

    /** Sends the next request of the first operation; false if the channel is full, or the endpoint fails. */
    private boolean ask(Operation operation) {
        return switch ((int) (operation.word >>> KIND_SHIFT) & KIND_MASK) {
            case ServedMessage.PUT -> askPut(operation);
            case ServedMessage.GET -> askGet(operation);
            case ServedMessage.ATOMIC -> askAtomic(operation);
            default -> askFlush(operation);
        };
    }

    private static ServedMemory memory(Operation operation) {
        return (ServedMemory) operation.remote();
    }

    // Identity is intended: the operation of the running post, not an equal one.
    @SuppressWarnings("ReferenceEquality")
    private boolean askPut(Operation operation) {
        long done = operation.word & DONE_MASK;
        int part = (int) Math.min(operation.length() - done, limits.dataMax());
        boolean isLast = done + part == operation.length();
        boolean isAnswered = unanswered.unansweredPuts() + 1 == limits.putsPerAnswer();
        int flags = (isAnswered ? ServedMessage.ANSWERED : 0)
                | (isLast && operation.hasSignal() ? ServedMessage.SIGNAL : 0);
        ServedMemory memory = memory(operation);
        out.request(ServedMessage.PUT, flags, memory, operation.remoteOffset() + done, operation.operand());
        out.data(operation.buffer(), operation.offset() + done, part);
        ServedChannel.Outcome outcome;
        try {
            outcome = channel.send(out);
        } catch (RuntimeException | Error thrown) {
            if (operation == posted && done == 0) {
                // The core recycles it.
                take(operation);
                operation.word = 0;
                throw thrown;
            }
            if (!(thrown instanceof IllegalStateException closed)) {
                throw thrown;
            }
            if (done == 0) {
                // None of it was sent, so the peer need not be notified.
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
        memory.markShown();
        operation.word += part;
        if (isAnswered) {
            unanswered.add(ServedMessage.PUT, null);
        } else {
            unanswered.addUnansweredPut();
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
        ServedMemory memory = memory(operation);
        out.request(ServedMessage.GET, 0, memory, operation.remoteOffset() + done, part);
        if (channel.send(out) == ServedChannel.Outcome.FULL) {
            return false;
        }
        memory.markShown();
        operation.word += part;
        if (isLast) {
            take(operation);
        }
        unanswered.addGet(operation, done, part);
        return true;
    }

    private boolean askAtomic(Operation operation) {
        ServedMemory memory = memory(operation);
        out.request(
                ServedMessage.ATOMIC,
                ServedMessage.code(operation.atomic()),
                memory,
                operation.remoteOffset(),
                operation.operand());
        out.compare = operation.compare();
        if (channel.send(out) == ServedChannel.Outcome.FULL) {
            return false;
        }
        memory.markShown();
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
        boolean needsRequest = unanswered.unansweredPuts() > 0;
        if (needsRequest) {
            out.flush();
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
     * Takes the answer to the oldest request, with all of its data.
     *
     * @param answer the answer, checked and read
     * @param data the memory that holds the data of a get
     * @param at the offset of the first byte there
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if the answer does not fit the oldest request; the transport
     *     fails the endpoint with it
     */
    public void answered(ServedMessage answer, MemorySegment data, long at) {
        unanswered.answered(answer, data, at);
    }

    /**
     * Takes the answer to the oldest request, a get, whose data arrives in pieces.
     *
     * @param answer the answer, checked and read
     * @return the intake that takes the data
     * @throws FairleadException as {@link #answered}
     */
    public Intake begin(ServedMessage answer) {
        return unanswered.begin(answer);
    }

    /**
     * Completes every operation in flight with {@code CANCELLED}, because the endpoint has ended. Afterwards no
     * operation may be posted, no answer taken, and no borrowed data read.
     */
    public void cancel() {
        unanswered.cancel();
        for (Operation operation = first; operation != null; operation = first) {
            take(operation);
            operation.complete(Status.CANCELLED, 0);
        }
    }
}
