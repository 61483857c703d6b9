package io.fairlead.internal.engine;

import io.fairlead.AccessRight;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.Path;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.matching.MessageSource;
import io.fairlead.internal.memory.CoreRemoteKey;
import io.fairlead.internal.statistics.CounterSet;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.Counters;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The application's side of an endpoint: checks what is posted, pays for it, and hands it to the transport. The life of the
 * endpoint, from handshake to teardown, is in {@link EndpointLife}.
 */
final class CoreEndpoint implements Endpoint, MessageSource {
    private static final int GATHER_MAX = 64;

    private final CoreWorker worker;
    private final EndpointLife life;
    private final CounterSet counters;
    private final Optional<Endpoint> asSource = Optional.of(this);
    /** The last post was answered with back-pressure, at this time of the worker's coarse clock. */
    private boolean stalled;

    private long stalledNs;

    CoreEndpoint(CoreWorker worker, EndpointLife life) {
        this.worker = worker;
        this.life = life;
        this.counters = new CounterSet(() -> life.pending());
    }

    EndpointLife life() {
        return life;
    }

    CoreWorker owner() {
        return worker;
    }

    /** This endpoint as a request's source, made once. */
    Optional<Endpoint> asSource() {
        return asSource;
    }

    Status terminalStatus() {
        return life.terminalStatus();
    }

    CounterSet counterSet() {
        return counters;
    }

    @Override
    public boolean keep(CoreArrival arrival) {
        return life.keep(arrival);
    }

    @Override
    public void discard(CoreArrival arrival) {
        life.discard(arrival);
    }

    void deliverSignal(long value) {
        life.deliverSignal(value);
    }

    @Override
    public long send(MemorySegment buffer, long offset, long length, long tag, Completion completion, long userData) {
        Checks.source("send", worker, buffer, offset, length);
        return send(buffer, null, offset, length, tag, completion, userData, false);
    }

    @Override
    public long sendSynchronous(
            MemorySegment buffer, long offset, long length, long tag, Completion completion, long userData) {
        Checks.source("send", worker, buffer, offset, length);
        return send(buffer, null, offset, length, tag, completion, userData, true);
    }

    @Override
    public long sendGather(MemorySegment[] buffers, long tag, Completion completion, long userData) {
        if (buffers.length == 0 || buffers.length > GATHER_MAX) {
            throw new IllegalArgumentException(
                    "gather list out of range: count=" + buffers.length + ", allowed 1 to " + GATHER_MAX + " buffers");
        }
        long total = 0;
        for (MemorySegment buffer : buffers) {
            Checks.source("send", worker, buffer, 0, buffer.byteSize());
            total += buffer.byteSize();
        }
        return send(MemorySegment.NULL, buffers, 0, total, tag, completion, userData, false);
    }

    private long send(
            MemorySegment buffer,
            MemorySegment @Nullable [] buffers,
            long offset,
            long length,
            long tag,
            Completion completion,
            long userData,
            boolean untilMatched) {
        Objects.requireNonNull(completion, "completion");
        Checks.tag(tag);
        TransportEndpoint transport = life.transport();
        if (transport == null) {
            return life.refusal();
        }
        Credits credits = life.credits();
        long cost = credits.cost(length);
        if (!credits.pay(cost)) {
            return backPressure();
        }
        CoreOperation operation = take(CoreOperation.SEND, completion, userData);
        if (operation == null) {
            credits.refund(cost);
            return backPressure();
        }
        if (buffers == null) {
            operation.memory(buffer, offset, length);
        } else {
            operation.gather(buffers, length);
        }
        operation.message(tag, untilMatched);
        long id = operation.id;
        boolean taken;
        try {
            taken = transport.send(operation);
        } catch (Throwable thrown) {
            if (!takenBack(operation, thrown)) {
                return id;
            }
            credits.refund(cost);
            Checks.stillAlive("send", buffers == null ? new MemorySegment[] {buffer} : buffers);
            throw thrown;
        }
        if (taken) {
            worker.endPost(operation);
            return id;
        }
        credits.refund(cost);
        return refuse(operation);
    }

    @Override
    public long receive(
            MemorySegment buffer,
            long offset,
            long length,
            long tag,
            long tagMask,
            Completion completion,
            long userData) {
        worker.checkOpen();
        return worker.receives().post(this, buffer, offset, length, tag, tagMask, completion, userData);
    }

    @Override
    public long put(
            MemorySegment source,
            long sourceOffset,
            long length,
            RemoteKey key,
            long targetOffset,
            Completion completion,
            long userData) {
        return put(source, sourceOffset, length, key, targetOffset, completion, userData, false, 0);
    }

    @Override
    public long putSignal(
            MemorySegment source,
            long sourceOffset,
            long length,
            RemoteKey key,
            long targetOffset,
            long signal,
            Completion completion,
            long userData) {
        return put(source, sourceOffset, length, key, targetOffset, completion, userData, true, signal);
    }

    private long put(
            MemorySegment source,
            long sourceOffset,
            long length,
            RemoteKey key,
            long targetOffset,
            Completion completion,
            long userData,
            boolean withSignal,
            long signal) {
        Checks.source("put", worker, source, sourceOffset, length);
        CoreRemoteKey remote = Checks.key(this, key, AccessRight.WRITE, "put", targetOffset, length);
        TransportEndpoint transport = life.transport();
        if (transport == null || remote.revoked()) {
            return refusal(transport);
        }
        CoreOperation operation = take(CoreOperation.PUT, completion, userData);
        if (operation == null) {
            return backPressure();
        }
        operation.memory(source, sourceOffset, length);
        operation.remote(remote, targetOffset);
        if (withSignal) {
            operation.signal(signal);
        }
        long id = operation.id;
        boolean taken;
        try {
            taken = transport.put(operation);
        } catch (Throwable thrown) {
            if (!takenBack(operation, thrown)) {
                return id;
            }
            Checks.stillAlive("put", source);
            throw thrown;
        }
        return posted(taken, operation, id);
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
        Checks.target("get", worker, target, targetOffset, length);
        CoreRemoteKey remote = Checks.key(this, key, AccessRight.READ, "get", sourceOffset, length);
        TransportEndpoint transport = life.transport();
        if (transport == null || remote.revoked()) {
            return refusal(transport);
        }
        CoreOperation operation = take(CoreOperation.GET, completion, userData);
        if (operation == null) {
            return backPressure();
        }
        operation.memory(target, targetOffset, length);
        operation.remote(remote, sourceOffset);
        long id = operation.id;
        boolean taken;
        try {
            taken = transport.get(operation);
        } catch (Throwable thrown) {
            if (!takenBack(operation, thrown)) {
                return id;
            }
            Checks.stillAlive("get", target);
            throw thrown;
        }
        return posted(taken, operation, id);
    }

    @Override
    public long atomic(
            AtomicOperation operation,
            long operand,
            long compare,
            RemoteKey key,
            long targetOffset,
            Completion completion,
            long userData) {
        worker.checkThread();
        Objects.requireNonNull(operation, "operation");
        CoreRemoteKey remote = Checks.key(this, key, AccessRight.ATOMIC, "atomic", targetOffset, Long.BYTES);
        Checks.aligned(targetOffset);
        TransportEndpoint transport = life.transport();
        if (transport == null || remote.revoked()) {
            return refusal(transport);
        }
        CoreOperation taken = take(CoreOperation.ATOMIC, completion, userData);
        if (taken == null) {
            return backPressure();
        }
        taken.remote(remote, targetOffset);
        taken.arithmetic(operation, operand, compare);
        long id = taken.id;
        boolean accepted;
        try {
            accepted = transport.atomic(taken);
        } catch (Throwable thrown) {
            if (!takenBack(taken, thrown)) {
                return id;
            }
            throw thrown;
        }
        return posted(accepted, taken, id);
    }

    @Override
    public long flush(Completion completion, long userData) {
        worker.checkThread();
        TransportEndpoint transport = life.transport();
        if (transport == null) {
            return life.refusal();
        }
        CoreOperation operation = take(CoreOperation.FLUSH, completion, userData);
        if (operation == null) {
            return backPressure();
        }
        long id = operation.id;
        boolean taken;
        try {
            taken = transport.flush(operation);
        } catch (Throwable thrown) {
            if (!takenBack(operation, thrown)) {
                return id;
            }
            throw thrown;
        }
        return posted(taken, operation, id);
    }

    @Override
    public long fence() {
        worker.checkThread();
        TransportEndpoint transport = life.transport();
        if (transport == null) {
            return life.refusal();
        }
        transport.fence();
        return 0;
    }

    @Override
    public RemoteKey unpack(byte[] packedKey) {
        worker.checkThread();
        return life.keys().unpack(packedKey.clone());
    }

    @Override
    public EndpointState state() {
        return life.state();
    }

    @Override
    public Optional<Path> path() {
        return life.path();
    }

    @Override
    public Optional<FairleadException> failure() {
        return life.failure();
    }

    @Override
    public int id() {
        return life.id();
    }

    @Override
    public String peerName() {
        return life.peerName();
    }

    @Override
    public long peerIncarnation() {
        return life.peerIncarnation();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return life.remoteAddress();
    }

    @Override
    public Worker worker() {
        return worker;
    }

    @Override
    public Counters counters() {
        return counters;
    }

    @Override
    public void close() {
        worker.close(life);
    }

    @Override
    public void startClose() {
        worker.startClose(life);
    }

    @Override
    public void abort() {
        worker.abort(life);
    }

    @Override
    public String toString() {
        return life.label();
    }

    /** Why a remote memory operation is not taken: the endpoint's state before the region's. */
    private long refusal(@Nullable TransportEndpoint transport) {
        return transport == null ? life.refusal() : Status.REVOKED.code();
    }

    private @Nullable CoreOperation take(int kind, Completion completion, long userData) {
        Objects.requireNonNull(completion, "completion");
        CoreOperation operation = worker.pool().take();
        if (operation != null) {
            // First what may call something: what is stored behind it the compiler still knows at the end of the post.
            long startedNs = worker.counterSet().began();
            operation.prepare(kind, this, completion, userData, startedNs);
            life.began(operation);
            worker.beginPost(operation);
            if (stalled) {
                endStall();
            }
        }
        return operation;
    }

    /** What a post answers. The operation is not the post's any more if its completion has run. */
    private long posted(boolean taken, CoreOperation operation, long id) {
        if (!taken) {
            return refuse(operation);
        }
        worker.endPost(operation);
        return id;
    }

    /**
     * The transport threw. False if it had ended the operation before that: the post then stands, and the completion follows, but the
     * endpoint has come to its end.
     */
    private boolean takenBack(CoreOperation operation, Throwable thrown) {
        if (operation.state == CoreOperation.COMPLETED) {
            life.broke(thrown);
            worker.endPost(operation);
            return false;
        }
        giveBack(operation);
        return true;
    }

    private void giveBack(CoreOperation operation) {
        worker.endPost(operation);
        life.ended(operation);
        operation.releaseKey();
        worker.pool().giveBack(operation);
    }

    /** The transport had no room, or has just failed. */
    private long refuse(CoreOperation operation) {
        giveBack(operation);
        return life.transport() == null ? life.refusal() : backPressure();
    }

    /** Counts a post that nothing came of, and answers it. */
    long backPressure() {
        counters.add(Counter.BACK_PRESSURE_EVENTS, 1);
        if (!stalled) {
            stalled = true;
            stalledNs = worker.nowNs();
        }
        return worker.backPressure();
    }

    /** A post is taken again, or none will be. */
    void endStall() {
        if (stalled) {
            stalled = false;
            worker.count(this, Counter.BACK_PRESSURE_NS, Math.max(0, worker.nowNs() - stalledNs));
        }
    }
}
