package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.MatchHandler;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.matching.MessageSource;
import io.fairlead.internal.matching.PostedReceive;
import io.fairlead.internal.memory.CoreRemoteKey;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.statistics.OperationKind;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One operation from its post to its completion, and the flyweight that the completion receives. Pooled by
 * {@link OperationPool}. Its fields belong to the engine, on the worker's thread.
 */
final class CoreOperation extends PostedReceive implements Request {
    /** Applications configure the logger by this name, so it is one of the API. */
    private static final Logger LOG = LoggerFactory.getLogger(MatchHandler.class);

    /** Every operation that is not the send of an active message. */
    private static final int NO_HANDLER = -1;

    // States of the operation. They are numbers, because a collector tracks every store of a reference.

    /** In the pool. */
    static final int FREE = 0;
    /** A receive without a matched message. */
    static final int POSTED = 1;
    /** The transport has it. */
    static final int IN_FLIGHT = 2;
    /** Ended; its completion has not run yet. */
    static final int COMPLETED = 3;

    // Kinds of operation, for counters and rules: the ordinals of OperationKind. They are numbers too, because the
    // compiler can propagate them from the post to the completion within one call.

    static final int SEND = 0;
    static final int RECEIVE = 1;
    static final int PUT = 2;
    static final int GET = 3;
    static final int ATOMIC = 4;
    static final int FLUSH = 5;

    /** Takes operations as they end. */
    interface Ending {
        /** The operation has ended; its completion runs in this turn or the next. */
        void complete(CoreOperation operation, Status status);

        /** A match handler is called during matching; returns the argument of {@link #endAsking}. */
        boolean beginAsking();

        /** The match handler has returned. */
        void endAsking(boolean wasRunning);
    }

    private final Ending ending;
    final int index;
    long id;
    int state = FREE;
    int kind = FLUSH;
    /** The endpoint that it was posted on; null for a receive from any endpoint. */
    @Nullable OperationOwner postedOn;
    /** The endpoint whose message matched a receive from any endpoint. */
    @Nullable OperationOwner matched;
    /** The message that matched, until the receive is complete. */
    @Nullable CoreArrival arrival;

    /** Set for a receive without a buffer, until a message has matched it. */
    @Nullable MatchHandler matchHandler;

    @Nullable Completion completion;
    /** The completion may run inside the post. */
    boolean isImmediate;

    long userData;
    /** The start time, if it is timed. */
    long startedNs = WorkerStatistics.UNTIMED;

    private @Nullable MemorySegment buffer;
    /** The buffers of a gathering send. */
    private MemorySegment @Nullable [] buffers;

    private long offset;
    private long length;
    /** A send completes when it is matched. */
    private boolean synchronous;

    /** The handler number of an active message. */
    private int handler = NO_HANDLER;

    private @Nullable MemorySegment header;
    private boolean hasSignal;
    private @Nullable CoreRemoteKey key;
    /** The region as the key referred to it at the post. */
    private @Nullable RemoteMemory remote;
    /** The key is held. */
    boolean holdsKey;

    private long remoteOffset;
    private AtomicOperation atomic = AtomicOperation.ADD;
    private long operand;
    private long compare;

    Status status = Status.OK;
    private long resultLength;
    private long resultValue;

    CoreOperation(Ending ending, int index) {
        this.ending = ending;
        this.index = index;
    }

    // The caller mostly passes the same values as before. A value is stored only if it differs; see the states above.
    // It therefore stays from one use to the next, until forget().

    /**
     * Begins a use.
     *
     * @param local the memory; null if it has none
     */
    // Identity is intended: two segments of the same memory may have different lifetimes.
    @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"})
    void prepare(
            int newKind,
            @Nullable OperationOwner on,
            Completion called,
            long number,
            long now,
            @Nullable MemorySegment local,
            long from,
            long bytes) {
        kind = newKind;
        if (postedOn != on) {
            postedOn = on;
        }
        if (completion != called) {
            completion = called;
            isImmediate = called instanceof Completion.Immediate;
        }
        userData = number;
        startedNs = now;
        if (local != null && buffer != local) {
            buffer = local;
        }
        offset = from;
        length = bytes;
        state = newKind == RECEIVE ? POSTED : IN_FLIGHT;
        resultLength = 0;
        resultValue = 0;
        word = 0;
    }

    /**
     * Begins a use as the send of a message.
     *
     * @param several the buffers of a gathering send, instead of the memory; null for any other
     * @param number the tag, or with a header the number of an active message's handler
     * @param with the header of an active message; null for a tagged one
     */
    @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"})
    void prepareSend(
            OperationOwner on,
            Completion called,
            long data,
            long now,
            MemorySegment local,
            MemorySegment @Nullable [] several,
            long from,
            long bytes,
            long number,
            @Nullable MemorySegment with,
            boolean untilMatched) {
        prepare(SEND, on, called, data, now, local, from, bytes);
        if (with == null) {
            tag = number;
        } else {
            tag = 0;
            handler = (int) number;
            if (header != with) {
                header = with;
            }
        }
        synchronous = untilMatched;
        if (several != null) {
            buffers = several;
        }
    }

    /**
     * Begins a use on a peer's region, and holds its key.
     *
     * @param local the memory; null for an atomic
     * @param at the offset in the region
     */
    @SuppressWarnings("ReferenceEquality")
    void prepareRemote(
            int newKind,
            OperationOwner on,
            Completion called,
            long data,
            long now,
            @Nullable MemorySegment local,
            long from,
            long bytes,
            CoreRemoteKey remoteKey,
            long at) {
        prepare(newKind, on, called, data, now, local, from, bytes);
        if (key != remoteKey) {
            key = remoteKey;
        }
        RemoteMemory reached = remoteKey.remote();
        if (remote != reached) {
            remote = reached;
        }
        remoteKey.acquire();
        holdsKey = true;
        remoteOffset = at;
    }

    /** Begins a use as a put with a signal. */
    void preparePutSignal(
            OperationOwner on,
            Completion called,
            long data,
            long now,
            MemorySegment local,
            long bytes,
            CoreRemoteKey remoteKey,
            long at,
            long signal) {
        prepareRemote(PUT, on, called, data, now, local, 0, bytes, remoteKey, at);
        hasSignal = true;
        operand = signal;
    }

    /** Begins a use as an atomic. */
    void prepareAtomic(
            OperationOwner on,
            Completion called,
            long data,
            long now,
            CoreRemoteKey remoteKey,
            long at,
            AtomicOperation change,
            long newOperand,
            long newCompare) {
        prepareRemote(ATOMIC, on, called, data, now, null, 0, Long.BYTES, remoteKey, at);
        atomic = change;
        operand = newOperand;
        compare = newCompare;
    }

    /** Records success inside the post. */
    void endAtOnce(long messageTag, long bytes) {
        tag = messageTag;
        state = COMPLETED;
        if (status != Status.OK) {
            status = Status.OK;
        }
        resultLength = bytes;
    }

    /** Ends a receive that gets no message. */
    void cancel(Status outcome) {
        state = COMPLETED;
        if (status != outcome) {
            status = outcome;
        }
        ending.complete(this, outcome);
    }

    /** Supplies the buffer of a receive that was posted without one. */
    void setMemory(MemorySegment segment) {
        buffer = segment;
        length = segment.byteSize();
    }

    /** The memory that the operation accesses. */
    MemorySegment[] memory() {
        MemorySegment[] local = localMemory();
        if (handler != NO_HANDLER) {
            local = Arrays.copyOf(local, local.length + 1);
            local[local.length - 1] = header();
        }
        return local;
    }

    private MemorySegment[] localMemory() {
        if (buffers != null) {
            return buffers;
        }
        return kind == ATOMIC || kind == FLUSH ? new MemorySegment[0] : new MemorySegment[] {buffer()};
    }

    void releaseKey() {
        if (holdsKey) {
            holdsKey = false;
            Objects.requireNonNull(key, "key").release();
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // A source is one endpoint.
    protected boolean takesFrom(MessageSource source) {
        OperationOwner on = postedOn;
        if (on != null) {
            return on == source;
        }
        MatchHandler handler = matchHandler;
        return !source.isExclusive() && (handler == null || isAccepted(handler, source));
    }

    private boolean isAccepted(MatchHandler handler, MessageSource source) {
        boolean wasRunning = ending.beginAsking();
        try {
            // Every source is an endpoint.
            return handler.accepts((Endpoint) source);
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "a match handler threw; endpoint={}", source);
            return false;
        } finally {
            ending.endAsking(wasRunning);
        }
    }

    /** The endpoint whose end would end this operation. */
    @Nullable OperationOwner owner() {
        return matched != null ? matched : postedOn;
    }

    /** Ends the use, and clears what only some uses set. */
    void clear() {
        state = FREE;
        length = 0;
        synchronous = false;
        hasSignal = false;
        handler = NO_HANDLER;
        if (matched != null) {
            matched = null;
        }
        if (buffers != null) {
            buffers = null;
        }
        if (next != null) {
            next = null;
        }
        if (attachment != null) {
            attachment = null;
        }
    }

    // The numbers above are its ordinals; a test checks that.
    @SuppressWarnings("EnumOrdinal")
    OperationKind operationKind() {
        return OperationKind.values()[kind];
    }

    /** The name of its kind in messages. */
    String kindName() {
        return operationKind().name().toLowerCase(Locale.ROOT);
    }

    /** Clears all references to memory of the caller. */
    void forget() {
        postedOn = null;
        completion = null;
        buffer = null;
        header = null;
        key = null;
        remote = null;
    }

    @Override
    public void complete(Status outcome, long bytes, long value) {
        if (state != IN_FLIGHT) {
            throw new IllegalStateException("operation completed twice: id=" + id + ", state=" + state);
        }
        resultLength = bytes;
        resultValue = value;
        Status end = outcome;
        if (kind == RECEIVE && outcome == Status.OK && bytes > length) {
            end = Status.TRUNCATED;
        }
        OperationOwner owner = outcome == Status.CANCELLED ? owner() : null;
        if (owner != null) {
            end = owner.terminalStatus();
        }
        state = COMPLETED;
        if (status != end) {
            status = end;
        }
        ending.complete(this, end);
    }

    @Override
    public MemorySegment buffer() {
        MemorySegment segment = buffer;
        return segment == null ? MemorySegment.NULL : segment;
    }

    @Override
    public MemorySegment @Nullable [] buffers() {
        return buffers;
    }

    @Override
    public long offset() {
        return offset;
    }

    /** For the transport the capacity or size; for the completion the bytes moved. */
    @Override
    public long length() {
        return state == COMPLETED ? resultLength : length;
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public long tagMask() {
        return tagMask;
    }

    @Override
    public int handler() {
        return handler;
    }

    @Override
    public MemorySegment header() {
        MemorySegment segment = handler == NO_HANDLER ? null : header;
        return segment == null ? MemorySegment.NULL : segment;
    }

    @Override
    public boolean isSynchronous() {
        return synchronous;
    }

    @Override
    public RemoteMemory remote() {
        return Objects.requireNonNull(remote, "remote");
    }

    @Override
    public long remoteOffset() {
        return remoteOffset;
    }

    @Override
    public AtomicOperation atomic() {
        return atomic;
    }

    @Override
    public long operand() {
        return operand;
    }

    @Override
    public long compare() {
        return compare;
    }

    @Override
    public boolean hasSignal() {
        return hasSignal;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public Status status() {
        return status;
    }

    @Override
    public Optional<Endpoint> source() {
        OperationOwner owner = owner();
        return owner == null ? Optional.empty() : owner.self();
    }

    @Override
    public long value() {
        return resultValue;
    }

    @Override
    public long userData() {
        return userData;
    }
}
