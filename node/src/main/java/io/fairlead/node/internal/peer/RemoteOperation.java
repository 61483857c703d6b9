package io.fairlead.node.internal.peer;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.memory.Memory;
import io.fairlead.statistics.OperationKind;
import org.jspecify.annotations.Nullable;

/** An operation on remote memory. Keeps its key from being freed until it has ended. */
abstract class RemoteOperation<T> extends PeerOperation<T> {
    final NodeKey key;
    final long offset;

    RemoteOperation(NodePeer peer, NodeKey key, long offset) {
        super(peer);
        this.key = key;
        this.offset = offset;
        key.acquire();
    }

    @Override
    final long post(Endpoint endpoint) {
        if (!key.isOf(endpoint)) {
            throw Failures.staleKey(peer.toString());
        }
        return post(endpoint, key.remote());
    }

    abstract long post(Endpoint endpoint, RemoteKey remote);

    @Override
    void release() {
        key.release();
    }

    /** A put. */
    static class Put extends RemoteOperation<Void> {
        final Memory source;

        Put(NodePeer peer, NodeKey key, long offset, Memory source) {
            super(peer, key, offset);
            this.source = source;
        }

        @Override
        long post(Endpoint endpoint, RemoteKey remote) {
            return endpoint.put(source.segment(), 0, source.length(), remote, offset, this, 0);
        }

        @Override
        final OperationKind kind() {
            return OperationKind.PUT;
        }

        @Override
        final long length() {
            return source.length();
        }

        @Override
        final String describe() {
            return "put of " + source.length() + " bytes at " + offset;
        }

        @Override
        final Memory memory() {
            return source;
        }

        @Override
        final void release() {
            source.release();
            super.release();
        }
    }

    /** A put that delivers a signal. */
    static final class PutSignal extends Put {
        private final long signal;

        PutSignal(NodePeer peer, NodeKey key, long offset, Memory source, long signal) {
            super(peer, key, offset, source);
            this.signal = signal;
        }

        @Override
        long post(Endpoint endpoint, RemoteKey remote) {
            return endpoint.putSignal(source.segment().asSlice(0, source.length()), signal, remote, offset, this);
        }
    }

    /** A get. */
    static final class Get extends RemoteOperation<Void> {
        private final Memory target;

        Get(NodePeer peer, NodeKey key, long offset, Memory target) {
            super(peer, key, offset);
            this.target = target;
        }

        @Override
        long post(Endpoint endpoint, RemoteKey remote) {
            return endpoint.get(target.segment(), 0, target.length(), remote, offset, this, 0);
        }

        @Override
        @Nullable Void result(Request request) {
            target.finish();
            return null;
        }

        @Override
        OperationKind kind() {
            return OperationKind.GET;
        }

        @Override
        long length() {
            return target.length();
        }

        @Override
        String describe() {
            return "get of " + target.length() + " bytes at " + offset;
        }

        @Override
        Memory memory() {
            return target;
        }

        @Override
        void release() {
            target.release();
            super.release();
        }
    }

    /** Posts one of the atomics. */
    interface AtomicPost {
        long post(Endpoint endpoint, RemoteKey remote, Completion completion);
    }

    /** An atomic. */
    static final class Atomic extends RemoteOperation<Long> {
        private final AtomicPost atomic;

        Atomic(NodePeer peer, NodeKey key, long offset, AtomicPost atomic) {
            super(peer, key, offset);
            this.atomic = atomic;
        }

        @Override
        long post(Endpoint endpoint, RemoteKey remote) {
            return atomic.post(endpoint, remote, this);
        }

        @Override
        Long result(Request request) {
            return request.value();
        }

        @Override
        OperationKind kind() {
            return OperationKind.ATOMIC;
        }

        @Override
        long length() {
            return Long.BYTES;
        }

        @Override
        String describe() {
            return "atomic at " + offset;
        }
    }
}
