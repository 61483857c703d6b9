package io.fairlead.internal.engine;

import io.fairlead.AccessRight;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.RemoteKey;
import io.fairlead.internal.memory.CoreRemoteKey;
import io.fairlead.internal.memory.EndpointKeys;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.DirectEndpoint;
import io.fairlead.spi.TransportEndpoint;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Posts the puts, gets, atomics and flushes of one endpoint: checks them, and passes them to the transport. */
final class RemoteMemoryPosts {
    private final WorkerThread thread;
    private final EndpointKeys keys;
    private final PostingState posts;

    RemoteMemoryPosts(WorkerThread thread, EndpointKeys keys, PostingState posts) {
        this.thread = thread;
        this.keys = keys;
        this.posts = posts;
    }

    long put(
            MemorySegment source,
            long sourceOffset,
            long length,
            RemoteKey key,
            long targetOffset,
            Completion completion,
            long userData,
            boolean withSignal,
            long signal) {
        Objects.requireNonNull(source, "source");
        Checks.source("put", thread, source, sourceOffset, length);
        CoreRemoteKey remote = Checks.key(keys, key, AccessRight.WRITE, "put", targetOffset, length);
        TransportEndpoint transport = posts.transport();
        if (transport == null || remote.isRevoked()) {
            return refusal(transport);
        }
        if (!withSignal && tryPut(source, sourceOffset, length, remote, targetOffset, completion)) {
            return posts.done(CoreOperation.PUT, 0, length, completion, userData);
        }
        CoreOperation operation = posts.take(CoreOperation.PUT, completion, userData);
        if (operation == null) {
            return posts.backPressure();
        }
        operation.setMemory(source, sourceOffset, length);
        operation.setRemote(remote, targetOffset);
        if (withSignal) {
            operation.setSignal(signal);
        }
        long id = operation.id;
        boolean taken;
        try {
            taken = transport.put(operation);
        } catch (Throwable thrown) {
            if (!posts.tryTakeBack(operation, thrown)) {
                return id;
            }
            Checks.stillAlive("put", source);
            throw thrown;
        }
        return posts.finishPost(taken, operation, id);
    }

    private boolean tryPut(
            MemorySegment source,
            long sourceOffset,
            long length,
            CoreRemoteKey remote,
            long targetOffset,
            Completion completion) {
        DirectEndpoint direct = posts.direct(completion);
        try {
            return direct != null && direct.tryPut(remote.remote(), targetOffset, source, sourceOffset, length);
        } catch (Throwable thrown) {
            Checks.stillAlive("put", source);
            throw thrown;
        }
    }

    long get(
            MemorySegment target,
            long targetOffset,
            long length,
            RemoteKey key,
            long sourceOffset,
            Completion completion,
            long userData) {
        Objects.requireNonNull(target, "target");
        Checks.target("get", thread, target, targetOffset, length);
        CoreRemoteKey remote = Checks.key(keys, key, AccessRight.READ, "get", sourceOffset, length);
        TransportEndpoint transport = posts.transport();
        if (transport == null || remote.isRevoked()) {
            return refusal(transport);
        }
        if (tryGet(target, targetOffset, length, remote, sourceOffset, completion)) {
            return posts.done(CoreOperation.GET, 0, length, completion, userData);
        }
        CoreOperation operation = posts.take(CoreOperation.GET, completion, userData);
        if (operation == null) {
            return posts.backPressure();
        }
        operation.setMemory(target, targetOffset, length);
        operation.setRemote(remote, sourceOffset);
        long id = operation.id;
        boolean taken;
        try {
            taken = transport.get(operation);
        } catch (Throwable thrown) {
            if (!posts.tryTakeBack(operation, thrown)) {
                return id;
            }
            Checks.stillAlive("get", target);
            throw thrown;
        }
        return posts.finishPost(taken, operation, id);
    }

    private boolean tryGet(
            MemorySegment target,
            long targetOffset,
            long length,
            CoreRemoteKey remote,
            long sourceOffset,
            Completion completion) {
        DirectEndpoint direct = posts.direct(completion);
        try {
            return direct != null && direct.tryGet(remote.remote(), sourceOffset, target, targetOffset, length);
        } catch (Throwable thrown) {
            Checks.stillAlive("get", target);
            throw thrown;
        }
    }

    long atomic(
            AtomicOperation operation,
            long operand,
            long compare,
            RemoteKey key,
            long targetOffset,
            Completion completion,
            long userData) {
        thread.check();
        CoreRemoteKey remote = Checks.key(keys, key, AccessRight.ATOMIC, "atomic", targetOffset, Long.BYTES);
        Checks.aligned(targetOffset);
        TransportEndpoint transport = posts.transport();
        if (transport == null || remote.isRevoked()) {
            return refusal(transport);
        }
        CoreOperation taken = posts.take(CoreOperation.ATOMIC, completion, userData);
        if (taken == null) {
            return posts.backPressure();
        }
        taken.setRemote(remote, targetOffset);
        taken.setArithmetic(operation, operand, compare);
        long id = taken.id;
        boolean accepted;
        try {
            accepted = transport.atomic(taken);
        } catch (Throwable thrown) {
            if (!posts.tryTakeBack(taken, thrown)) {
                return id;
            }
            throw thrown;
        }
        return posts.finishPost(accepted, taken, id);
    }

    long flush(Completion completion, long userData) {
        thread.check();
        TransportEndpoint transport = posts.transport();
        if (transport == null) {
            return posts.refusal();
        }
        CoreOperation operation = posts.take(CoreOperation.FLUSH, completion, userData);
        if (operation == null) {
            return posts.backPressure();
        }
        long id = operation.id;
        boolean taken;
        try {
            taken = transport.flush(operation);
        } catch (Throwable thrown) {
            if (!posts.tryTakeBack(operation, thrown)) {
                return id;
            }
            throw thrown;
        }
        return posts.finishPost(taken, operation, id);
    }

    long fence() {
        thread.check();
        TransportEndpoint transport = posts.transport();
        if (transport == null) {
            return posts.refusal();
        }
        transport.fence();
        return 0;
    }

    /** Why a remote memory operation is refused: the endpoint's state counts before the region's. */
    private long refusal(@Nullable TransportEndpoint transport) {
        return transport == null ? posts.refusal() : Endpoint.REVOKED;
    }
}
