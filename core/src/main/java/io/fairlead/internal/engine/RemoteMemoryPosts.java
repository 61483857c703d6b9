package io.fairlead.internal.engine;

import io.fairlead.AccessRight;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.RemoteKey;
import io.fairlead.internal.memory.CoreRemoteKey;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.TransportEndpoint;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Posts the puts, gets, atomics and flushes of one endpoint: checks them, and hands them to the transport. */
final class RemoteMemoryPosts {
    private final CoreWorker worker;
    private final CoreEndpoint endpoint;
    private final PostingState posts;

    RemoteMemoryPosts(CoreEndpoint endpoint, CoreWorker worker) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.posts = endpoint.posts();
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
        Checks.source("put", worker, source, sourceOffset, length);
        CoreRemoteKey remote = Checks.key(endpoint, key, AccessRight.WRITE, "put", targetOffset, length);
        TransportEndpoint transport = posts.transport();
        if (transport == null || remote.revoked()) {
            return refusal(transport);
        }
        CoreOperation operation = take(CoreOperation.PUT, completion, userData);
        if (operation == null) {
            return posts.backPressure();
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
            if (!endpoint.tryTakeBack(operation, thrown)) {
                return id;
            }
            Checks.stillAlive("put", source);
            throw thrown;
        }
        return posts.posted(taken, operation, id);
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
        Checks.target("get", worker, target, targetOffset, length);
        CoreRemoteKey remote = Checks.key(endpoint, key, AccessRight.READ, "get", sourceOffset, length);
        TransportEndpoint transport = posts.transport();
        if (transport == null || remote.revoked()) {
            return refusal(transport);
        }
        CoreOperation operation = take(CoreOperation.GET, completion, userData);
        if (operation == null) {
            return posts.backPressure();
        }
        operation.memory(target, targetOffset, length);
        operation.remote(remote, sourceOffset);
        long id = operation.id;
        boolean taken;
        try {
            taken = transport.get(operation);
        } catch (Throwable thrown) {
            if (!endpoint.tryTakeBack(operation, thrown)) {
                return id;
            }
            Checks.stillAlive("get", target);
            throw thrown;
        }
        return posts.posted(taken, operation, id);
    }

    long atomic(
            AtomicOperation operation,
            long operand,
            long compare,
            RemoteKey key,
            long targetOffset,
            Completion completion,
            long userData) {
        worker.checkThread();
        CoreRemoteKey remote = Checks.key(endpoint, key, AccessRight.ATOMIC, "atomic", targetOffset, Long.BYTES);
        Checks.aligned(targetOffset);
        TransportEndpoint transport = posts.transport();
        if (transport == null || remote.revoked()) {
            return refusal(transport);
        }
        CoreOperation taken = take(CoreOperation.ATOMIC, completion, userData);
        if (taken == null) {
            return posts.backPressure();
        }
        taken.remote(remote, targetOffset);
        taken.arithmetic(operation, operand, compare);
        long id = taken.id;
        boolean accepted;
        try {
            accepted = transport.atomic(taken);
        } catch (Throwable thrown) {
            if (!endpoint.tryTakeBack(taken, thrown)) {
                return id;
            }
            throw thrown;
        }
        return posts.posted(accepted, taken, id);
    }

    long flush(Completion completion, long userData) {
        worker.checkThread();
        TransportEndpoint transport = posts.transport();
        if (transport == null) {
            return posts.refusal();
        }
        CoreOperation operation = take(CoreOperation.FLUSH, completion, userData);
        if (operation == null) {
            return posts.backPressure();
        }
        long id = operation.id;
        boolean taken;
        try {
            taken = transport.flush(operation);
        } catch (Throwable thrown) {
            if (!endpoint.tryTakeBack(operation, thrown)) {
                return id;
            }
            throw thrown;
        }
        return posts.posted(taken, operation, id);
    }

    long fence() {
        worker.checkThread();
        TransportEndpoint transport = posts.transport();
        if (transport == null) {
            return posts.refusal();
        }
        transport.fence();
        return 0;
    }

    /** Why a remote memory operation is not taken: the endpoint's state before the region's. */
    private long refusal(@Nullable TransportEndpoint transport) {
        return transport == null ? posts.refusal() : Endpoint.REVOKED;
    }

    private @Nullable CoreOperation take(int kind, Completion completion, long userData) {
        return posts.take(endpoint, kind, completion, userData);
    }
}
