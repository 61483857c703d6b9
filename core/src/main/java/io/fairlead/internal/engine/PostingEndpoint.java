package io.fairlead.internal.engine;

import io.fairlead.AccessRight;
import io.fairlead.Completion;
import io.fairlead.EndpointState;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.internal.memory.CoreRemoteKey;
import io.fairlead.internal.memory.EndpointKeys;
import io.fairlead.internal.memory.KeyUser;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.DirectEndpoint;
import io.fairlead.spi.LayerWorker;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The posts of an endpoint and its operations in flight. Each post checks its arguments, pays for a message, and tries
 * the operation at once if the transport is a {@link DirectEndpoint}. Otherwise it takes an operation and hands it to
 * the transport. What the transport does not accept is given back and refunded. On the worker's thread.
 */
abstract class PostingEndpoint extends OperationOwner implements KeyUser {
    private static final int GATHER_MAX = 64;

    private final WorkerThread thread;
    private final CompletionDelivery completions;
    private final OperationPool pool;
    private final WorkerStatistics statistics;
    private final CoarseClock clock;
    /** Null before the first key of the peer's. */
    private @Nullable EndpointKeys keys;

    /** Null until connected, and again once the endpoint accepts no more operations. */
    private @Nullable TransportEndpoint transport;
    /** The same, if it can do operations inside their posts. */
    private @Nullable DirectEndpoint direct;

    private Credits credits = new Credits(0, 0, 0);
    /** The result of a post without a transport. */
    private long refusal = NOT_CONNECTED;
    /** The last post returned back-pressure; its time on the worker's coarse clock follows. */
    private boolean stalled;

    private long stalledNs;
    /** Creates an endpoint that is not connected. */
    PostingEndpoint(
            WorkerThread thread, CompletionDelivery completions, WorkerStatistics statistics, CoarseClock clock) {
        super(statistics);
        this.thread = thread;
        this.completions = completions;
        this.pool = completions.pool();
        this.statistics = statistics;
        this.clock = clock;
    }

    /** A post lacked credits. */
    abstract void awaitCredits();

    /** The transport threw an exception from a post whose operation had already ended. */
    abstract void failThrown(Throwable thrown);

    // Messages.

    @Override
    public long send(MemorySegment buffer, long offset, long length, long tag, Completion completion, long userData) {
        Checks.source("send", thread, buffer, offset, length);
        Checks.tag(tag);
        return post(buffer, null, offset, length, tag, null, completion, userData, false);
    }

    @Override
    public long sendSynchronous(
            MemorySegment buffer, long offset, long length, long tag, Completion completion, long userData) {
        Checks.source("send", thread, buffer, offset, length);
        Checks.tag(tag);
        return post(buffer, null, offset, length, tag, null, completion, userData, true);
    }

    @Override
    public long sendGather(MemorySegment[] buffers, long tag, Completion completion, long userData) {
        long total = checkGather(buffers);
        Checks.tag(tag);
        return post(MemorySegment.NULL, buffers, 0, total, tag, null, completion, userData, false);
    }

    @Override
    public long sendActive(
            int handler,
            MemorySegment header,
            MemorySegment buffer,
            long offset,
            long length,
            Completion completion,
            long userData) {
        Checks.source("send", thread, buffer, offset, length);
        checkActive(handler, header);
        return post(buffer, null, offset, length, handler, header, completion, userData, false);
    }

    @Override
    public long sendActiveGather(
            int handler, MemorySegment header, MemorySegment[] payload, Completion completion, long userData) {
        long total = checkGather(payload);
        checkActive(handler, header);
        return post(MemorySegment.NULL, payload, 0, total, handler, header, completion, userData, false);
    }

    private void checkActive(int handler, MemorySegment header) {
        Checks.handler(handler, 0, LayerWorker.LAYER_HANDLER_MAX);
        Checks.header(thread, header);
    }

    private long checkGather(MemorySegment[] buffers) {
        if (buffers.length == 0 || buffers.length > GATHER_MAX) {
            throw new IllegalArgumentException(
                    "gather list out of range: count=" + buffers.length + ", allowed 1 to " + GATHER_MAX + " buffers");
        }
        long total = 0;
        for (MemorySegment buffer : buffers) {
            Checks.source("send", thread, buffer, 0, buffer.byteSize());
            total += buffer.byteSize();
        }
        return total;
    }

    /** Sends a tagged message or, with a header, an active one, whose number is in place of the tag. */
    private long post(
            MemorySegment buffer,
            MemorySegment @Nullable [] buffers,
            long offset,
            long length,
            long tag,
            @Nullable MemorySegment header,
            Completion completion,
            long userData,
            boolean untilMatched) {
        Objects.requireNonNull(completion, "completion");
        if (transport == null) {
            return refusal;
        }
        long cost = header == null ? credits.cost(length) : credits.activeCost((int) header.byteSize(), length);
        if (!credits.tryPay(cost)) {
            awaitCredits();
            return backPressure();
        }
        if (!pool.hasRoom()) {
            credits.refund(cost);
            return backPressure();
        }
        long startedNs = statistics.sampleStart();
        if (direct != null
                && buffers == null
                && !untilMatched
                && (header == null
                        ? trySend(direct, buffer, offset, length, tag, cost)
                        : trySendActive(direct, (int) tag, header, buffer, offset, length, cost))) {
            if (stalled) {
                endStall();
            }
            long shown = header == null ? tag : 0;
            return completions.completeInPost(CoreOperation.SEND, this, shown, length, completion, userData, startedNs);
        }
        CoreOperation operation = pool.next();
        operation.prepareSend(
                this, completion, userData, startedNs, buffer, buffers, offset, length, tag, header, untilMatched);
        return handOver(operation, cost);
    }

    private boolean trySend(DirectEndpoint able, MemorySegment buffer, long offset, long length, long tag, long cost) {
        try {
            return able.trySend(buffer, offset, length, tag);
        } catch (Throwable thrown) {
            credits.refund(cost);
            Checks.stillAlive("send", buffer);
            throw thrown;
        }
    }

    private boolean trySendActive(
            DirectEndpoint able,
            int handler,
            MemorySegment header,
            MemorySegment buffer,
            long offset,
            long length,
            long cost) {
        try {
            return able.trySendActive(handler, header, buffer, offset, length);
        } catch (Throwable thrown) {
            credits.refund(cost);
            Checks.stillAlive("send", header, buffer);
            throw thrown;
        }
    }

    // Remote memory.

    @Override
    public long put(
            MemorySegment source,
            long sourceOffset,
            long length,
            RemoteKey key,
            long targetOffset,
            Completion completion,
            long userData) {
        Objects.requireNonNull(source, "source");
        Checks.source("put", thread, source, sourceOffset, length);
        CoreRemoteKey remote = Checks.key(this, key, AccessRight.WRITE, "put", targetOffset, length);
        return copy(CoreOperation.PUT, source, sourceOffset, length, remote, targetOffset, completion, userData);
    }

    @Override
    public long get(
            MemorySegment target,
            long targetOffset,
            long length,
            RemoteKey key,
            long sourceOffset,
            Completion completion,
            long userData) {
        Objects.requireNonNull(target, "target");
        Checks.target("get", thread, target, targetOffset, length);
        CoreRemoteKey remote = Checks.key(this, key, AccessRight.READ, "get", sourceOffset, length);
        return copy(CoreOperation.GET, target, targetOffset, length, remote, sourceOffset, completion, userData);
    }

    private long copy(
            int kind,
            MemorySegment local,
            long offset,
            long length,
            CoreRemoteKey remote,
            long remoteOffset,
            Completion completion,
            long userData) {
        long refused = refuse(completion, remote);
        if (refused != 0) {
            return refused;
        }
        long startedNs = statistics.sampleStart();
        if (direct != null && tryCopy(direct, kind, local, offset, length, remote.remote(), remoteOffset)) {
            if (stalled) {
                endStall();
            }
            return completions.completeInPost(kind, this, 0, length, completion, userData, startedNs);
        }
        CoreOperation operation = pool.next();
        operation.prepareRemote(
                kind, this, completion, userData, startedNs, local, offset, length, remote, remoteOffset);
        return handOver(operation, 0);
    }

    private static boolean tryCopy(
            DirectEndpoint direct,
            int kind,
            MemorySegment local,
            long offset,
            long length,
            RemoteMemory remote,
            long remoteOffset) {
        try {
            return kind == CoreOperation.PUT
                    ? direct.tryPut(remote, remoteOffset, local, offset, length)
                    : direct.tryGet(remote, remoteOffset, local, offset, length);
        } catch (Throwable thrown) {
            Checks.stillAlive(kind == CoreOperation.PUT ? "put" : "get", local);
            throw thrown;
        }
    }

    @Override
    public long putSignal(
            MemorySegment source, long signal, RemoteKey key, long targetOffset, Completion completion, long userData) {
        Objects.requireNonNull(source, "source");
        long length = source.byteSize();
        Checks.source("put", thread, source, 0, length);
        CoreRemoteKey remote = Checks.key(this, key, AccessRight.WRITE, "put", targetOffset, length);
        long refused = refuse(completion, remote);
        if (refused != 0) {
            return refused;
        }
        CoreOperation operation = pool.next();
        operation.preparePutSignal(
                this, completion, userData, statistics.sampleStart(), source, length, remote, targetOffset, signal);
        return handOver(operation, 0);
    }

    @Override
    public long fetchAdd(long addend, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return atomic(AtomicOperation.ADD, addend, 0, key, targetOffset, completion, userData);
    }

    @Override
    public long fetchAnd(long bits, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return atomic(AtomicOperation.AND, bits, 0, key, targetOffset, completion, userData);
    }

    @Override
    public long fetchOr(long bits, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return atomic(AtomicOperation.OR, bits, 0, key, targetOffset, completion, userData);
    }

    @Override
    public long fetchXor(long bits, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return atomic(AtomicOperation.XOR, bits, 0, key, targetOffset, completion, userData);
    }

    @Override
    public long swap(long replacement, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return atomic(AtomicOperation.SWAP, replacement, 0, key, targetOffset, completion, userData);
    }

    @Override
    public long compareAndSwap(
            long expected, long replacement, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return atomic(AtomicOperation.COMPARE_SWAP, replacement, expected, key, targetOffset, completion, userData);
    }

    private long atomic(
            AtomicOperation change,
            long operand,
            long compare,
            RemoteKey key,
            long targetOffset,
            Completion completion,
            long userData) {
        thread.check();
        CoreRemoteKey remote = Checks.key(this, key, AccessRight.ATOMIC, "atomic", targetOffset, Long.BYTES);
        Checks.aligned(targetOffset);
        long refused = refuse(completion, remote);
        if (refused != 0) {
            return refused;
        }
        CoreOperation operation = pool.next();
        operation.prepareAtomic(
                this, completion, userData, statistics.sampleStart(), remote, targetOffset, change, operand, compare);
        return handOver(operation, 0);
    }

    @Override
    public long flush(Completion completion, long userData) {
        thread.check();
        long refused = refuse(completion, null);
        if (refused != 0) {
            return refused;
        }
        CoreOperation operation = pool.next();
        operation.prepare(CoreOperation.FLUSH, this, completion, userData, statistics.sampleStart(), null, 0, 0);
        return handOver(operation, 0);
    }

    @Override
    public long fence() {
        thread.check();
        TransportEndpoint connected = transport;
        if (connected == null) {
            return refusal;
        }
        connected.fence();
        return 0;
    }

    // The way of every post.

    /** What a post returns that cannot begin; 0 if it can. The endpoint's state counts before the region's. */
    private long refuse(Completion completion, @Nullable CoreRemoteKey remote) {
        Objects.requireNonNull(completion, "completion");
        if (transport == null) {
            return refusal;
        }
        if (remote != null && remote.isRevoked()) {
            return REVOKED;
        }
        return pool.hasRoom() ? 0 : backPressure();
    }

    /** Hands an operation to the transport, and returns the result of the post. */
    private long handOver(CoreOperation operation, long cost) {
        TransportEndpoint connected = Objects.requireNonNull(transport, "transport");
        addOutgoing();
        completions.beginPost(operation);
        if (stalled) {
            endStall();
        }
        // The operation may be in other use once its completion has run.
        long id = operation.id;
        boolean taken;
        try {
            taken = switch (operation.kind) {
                case CoreOperation.SEND -> connected.send(operation);
                case CoreOperation.PUT -> connected.put(operation);
                case CoreOperation.GET -> connected.get(operation);
                case CoreOperation.ATOMIC -> connected.atomic(operation);
                default -> connected.flush(operation);
            };
        } catch (Throwable thrown) {
            if (operation.state == CoreOperation.COMPLETED) {
                // The post is valid and the completion follows, but the endpoint ends.
                failThrown(thrown);
                completions.endPost(operation);
                return id;
            }
            credits.refund(cost);
            MemorySegment[] memory = operation.memory();
            giveBack(operation);
            Checks.stillAlive(operation.kindName(), memory);
            throw thrown;
        }
        if (taken) {
            completions.endPost(operation);
            return id;
        }
        // The transport's queue was full, or it has just failed.
        credits.refund(cost);
        giveBack(operation);
        return transport == null ? refusal : backPressure();
    }

    /** The operation was not accepted. */
    void giveBack(CoreOperation operation) {
        completions.endPost(operation);
        operation.releaseKey();
        pool.giveBack(operation);
        removeRefused(operation.kind);
    }

    /** Counts a refused post, and returns its result. */
    long backPressure() {
        counters().add(Counter.BACK_PRESSURE_EVENTS, 1);
        if (!stalled) {
            stalled = true;
            stalledNs = clock.nowNs();
        }
        return BACK_PRESSURE;
    }

    /** A post is accepted again, or none will be. */
    void endStall() {
        if (stalled) {
            stalled = false;
            counters().add(Counter.BACK_PRESSURE_NS, Math.max(0, clock.nowNs() - stalledNs));
        }
    }

    // Called by the endpoint's life cycle.

    /** Both sides have negotiated the credits. */
    void useCredits(Credits agreed) {
        credits = agreed;
    }

    /** The endpoint accepts operations. */
    void open(@Nullable TransportEndpoint connected) {
        transport = connected;
        direct = connected instanceof DirectEndpoint able ? able : null;
    }

    /** The endpoint accepts no more operations. */
    void endPosts() {
        transport = null;
        direct = null;
    }

    /** The endpoint's state has changed, and with it the result of a post. */
    void answerAs(EndpointState state) {
        Status answer = switch (state) {
            case CONNECTING, CONNECTED -> Status.NOT_CONNECTED;
            case CLOSING, CLOSED -> Status.CLOSED;
            case FAILED -> Status.PEER_FAILED;
        };
        refusal = answer.code();
    }

    /** The transport's endpoint while operations are accepted. */
    @Override
    public @Nullable TransportEndpoint transport() {
        return transport;
    }

    Credits credits() {
        return credits;
    }

    /** The keys of the peer's; created with the first. */
    EndpointKeys usableKeys() {
        EndpointKeys known = keys;
        if (known == null) {
            known = new EndpointKeys(this);
            keys = known;
        }
        return known;
    }

    /** The peer has closed a region. */
    void revoke(long regionId) {
        if (keys != null) {
            keys.revoke(regionId);
        }
    }

    /** The endpoint accepts no more operations: its keys end. */
    void endKeys() {
        if (keys != null) {
            keys.end();
        }
    }

    /** The result of a receive while {@link #transport()} is null. */
    long refused() {
        return refusal;
    }
}
