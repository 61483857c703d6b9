package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.Path;
import io.fairlead.PeerIdentity;
import io.fairlead.RemoteKey;
import io.fairlead.Worker;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.matching.MessageSource;
import io.fairlead.internal.memory.EndpointKeys;
import io.fairlead.internal.memory.KeySecret;
import io.fairlead.internal.memory.KeyUser;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.statistics.Counters;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The application's side of an endpoint: checks posts, pays their credits, and passes them to the transport.
 * {@link PostingState} has the state of posts, and {@link EndpointLifecycle} the state of the endpoint.
 */
final class CoreEndpoint implements Endpoint, MessageSource, KeyUser, SignalQueue.Receiver {
    private final CoreWorker worker;
    private final WorkerThread thread;
    private final int id;
    private final EndpointLifecycle lifecycle;
    private final EndpointPeer peer;
    private final PostingState posts;
    private final MessagePosts messages;
    private final RemoteMemoryPosts remote;
    private final EndpointKeys keys = new EndpointKeys(this);
    private final Prefaces prefaces;

    CoreEndpoint(CoreWorker worker, int id, EndpointLifecycle lifecycle, EndpointPeer peer, Prefaces prefaces) {
        this.worker = worker;
        this.thread = worker.thread();
        CompletionDelivery completions = worker.completions();
        this.id = id;
        this.lifecycle = lifecycle;
        this.peer = peer;
        this.prefaces = prefaces;
        this.posts = new PostingState(
                new OperationOwner(this, this, peer, worker.statistics()),
                completions,
                worker.statistics(),
                worker.clock(),
                lifecycle::failThrown);
        this.messages = new MessagePosts(
                thread, posts, completions, () -> worker.connections().awaitCredits());
        this.remote = new RemoteMemoryPosts(thread, keys, posts);
    }

    EndpointLifecycle lifecycle() {
        return lifecycle;
    }

    EndpointPeer peer() {
        return peer;
    }

    PostingState posts() {
        return posts;
    }

    Prefaces prefaces() {
        return prefaces;
    }

    EndpointKeys keys() {
        return keys;
    }

    OperationOwner owner() {
        return posts.owner();
    }

    // Called by matching and keys.

    @Override
    public @Nullable TransportEndpoint transport() {
        return posts.transport();
    }

    @Override
    public String transportName() {
        return peer.transportName();
    }

    @Override
    public KeySecret peerSecret() {
        return peer.secret();
    }

    @Override
    public String distinctName() {
        return "endpoint " + peer.distinctLabel();
    }

    @Override
    public String description() {
        return "endpoint=" + peer.label() + ", state=" + lifecycle.shownState();
    }

    @Override
    public void checkThread() {
        thread.check();
    }

    @Override
    public boolean isExclusive() {
        return lifecycle.isExclusive();
    }

    @Override
    public boolean tryKeep(CoreArrival arrival) {
        try {
            return lifecycle.transport().tryKeep(arrival);
        } catch (Throwable thrown) {
            // Only this message is lost; other messages and the rest of the teardown are not affected.
            lifecycle.logMessageLost(arrival.tag, thrown);
            return false;
        }
    }

    @Override
    public void discard(CoreArrival arrival) {
        lifecycle.transport().discard(arrival);
    }

    @Override
    public void deliverSignal(long value) {
        lifecycle.deliverSignal(value);
    }

    @Override
    public long send(MemorySegment buffer, long offset, long length, long tag, Completion completion, long userData) {
        return messages.send(buffer, offset, length, tag, completion, userData, false);
    }

    @Override
    public long sendSynchronous(
            MemorySegment buffer, long offset, long length, long tag, Completion completion, long userData) {
        return messages.send(buffer, offset, length, tag, completion, userData, true);
    }

    @Override
    public long sendGather(MemorySegment[] buffers, long tag, Completion completion, long userData) {
        return messages.send(buffers, tag, completion, userData);
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
        return remote.put(source, sourceOffset, length, key, targetOffset, completion, userData, false, 0);
    }

    @Override
    public long putSignal(
            MemorySegment source, long signal, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return remote.put(source, 0, source.byteSize(), key, targetOffset, completion, userData, true, signal);
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
        return remote.get(target, targetOffset, length, key, sourceOffset, completion, userData);
    }

    @Override
    public long fetchAdd(long addend, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return remote.atomic(AtomicOperation.ADD, addend, 0, key, targetOffset, completion, userData);
    }

    @Override
    public long fetchAnd(long bits, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return remote.atomic(AtomicOperation.AND, bits, 0, key, targetOffset, completion, userData);
    }

    @Override
    public long fetchOr(long bits, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return remote.atomic(AtomicOperation.OR, bits, 0, key, targetOffset, completion, userData);
    }

    @Override
    public long fetchXor(long bits, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return remote.atomic(AtomicOperation.XOR, bits, 0, key, targetOffset, completion, userData);
    }

    @Override
    public long swap(long replacement, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return remote.atomic(AtomicOperation.SWAP, replacement, 0, key, targetOffset, completion, userData);
    }

    @Override
    public long compareAndSwap(
            long expected, long replacement, RemoteKey key, long targetOffset, Completion completion, long userData) {
        return remote.atomic(
                AtomicOperation.COMPARE_SWAP, replacement, expected, key, targetOffset, completion, userData);
    }

    @Override
    public long flush(Completion completion, long userData) {
        return remote.flush(completion, userData);
    }

    @Override
    public long fence() {
        return remote.fence();
    }

    @Override
    public RemoteKey unpack(byte[] packedKey) {
        thread.check();
        return keys.unpack(Objects.requireNonNull(packedKey, "packedKey").clone());
    }

    @Override
    public byte[] issue(long regionId) {
        return lifecycle.host().issuer().issue(regionId);
    }

    @Override
    public byte[] pathKey(String label) {
        return peer.pathKey(label);
    }

    @Override
    public boolean isConnector() {
        return lifecycle.transport().isConnector();
    }

    @Override
    public long ownIncarnation() {
        return worker.context().incarnation();
    }

    @Override
    public EndpointState state() {
        return lifecycle.shownState();
    }

    @Override
    public Optional<Path> path() {
        return peer.path();
    }

    @Override
    public Optional<FairleadException> failure() {
        return lifecycle.failure();
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public String peerName() {
        return peer.name();
    }

    @Override
    public long peerIncarnation() {
        return peer.incarnation();
    }

    @Override
    public PeerIdentity peerIdentity() {
        return peer.identity();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return peer.remoteAddress();
    }

    @Override
    public Optional<InetSocketAddress> localAddress() {
        return peer.localAddress();
    }

    @Override
    public Worker worker() {
        return worker;
    }

    @Override
    public Counters counters() {
        return owner().counters();
    }

    @Override
    public void close() {
        worker.shutdown().close(lifecycle);
    }

    @Override
    public void startClose() {
        worker.shutdown().startClose(lifecycle);
    }

    @Override
    public void abort() {
        worker.shutdown().abort(lifecycle);
    }

    @Override
    public String toString() {
        return peer.label();
    }
}
