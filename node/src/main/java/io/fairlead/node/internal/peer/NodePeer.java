package io.fairlead.node.internal.peer;

import io.fairlead.AccessRight;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.MemoryRegion;
import io.fairlead.Path;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.PeerIdentity;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.PeerKey;
import io.fairlead.node.RequestOptions;
import io.fairlead.node.internal.errors.Arguments;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.loop.LoopGroup;
import io.fairlead.node.internal.loop.LoopSemaphore;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.NodeSettings;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.memory.ByteLimit;
import io.fairlead.node.internal.memory.Memory;
import io.fairlead.node.internal.memory.ProgressThread;
import io.fairlead.node.internal.receive.SourcePeer;
import io.fairlead.node.internal.request.PeerRequests;
import io.fairlead.observation.MessageContext;
import io.fairlead.statistics.Counters;
import io.fairlead.statistics.OperationKind;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A peer for any thread: checks what is called, bounds it, and hands it to the loop that has the {@link PeerLink}. */
public final class NodePeer implements SourcePeer {
    /** So many that every caller who waits for capacity goes on when the peer has ended. */
    private static final int EVERYBODY = 1 << 30;

    /** What the connection is like, replaced as a whole by the loop. */
    private record Snapshot(
            EndpointState state,
            Path path,
            Optional<FairleadException> failure,
            String name,
            long incarnation,
            InetSocketAddress remoteAddress,
            PeerIdentity identity,
            Counters counters) {}

    private final NodePeers peers;
    private final LoopGroup group;
    private final ProgressLoop loop;
    private final NodeSettings settings;
    private final PeerLink link;
    private final LoopSemaphore permits;
    private final ByteLimit byteLimit;
    private final PeerEvents events;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile Snapshot snapshot;

    public NodePeer(
            NodePeers peers,
            ProgressLoop loop,
            InetSocketAddress address,
            PathPolicy policy,
            ReconnectPolicy reconnect,
            Consumer<Optional<FairleadException>> opened) {
        this.peers = peers;
        this.group = peers.group();
        this.loop = loop;
        this.settings = group.settings();
        this.permits = new LoopSemaphore(new Semaphore(settings.queueMax()), loop);
        this.byteLimit = group.newByteLimit();
        this.events = new PeerEvents(this);
        this.snapshot = new Snapshot(
                EndpointState.CONNECTING,
                new Path("none", PathClass.TCP, "", List.of(), PathCause.ONLY_SHARED, "not connected yet"),
                Optional.empty(),
                "",
                0,
                address,
                PeerIdentity.ANONYMOUS,
                _ -> 0);
        this.link = new PeerLink(peers, this, address, policy, reconnect, opened);
    }

    @Override
    public PeerLink link() {
        return link;
    }

    @Override
    public ProgressLoop loop() {
        return loop;
    }

    @Override
    public @Nullable FairleadException receiveRefusal(long tag) {
        return link.receiveRefusal(tag);
    }

    /** The requests to and from the peer. */
    public PeerRequests requests() {
        return link.requests();
    }

    // Operations, from any thread.

    @Override
    public CompletableFuture<Void> send(MemorySegment message, long tag) {
        Arguments.tag(tag);
        return submit(new SendOperation(this, Memory.source(message, loop.thread()), tag));
    }

    @Override
    public CompletableFuture<Void> sendSynchronous(MemorySegment message, long tag) {
        Arguments.tag(tag);
        return submit(new SendOperation.Synchronous(this, Memory.source(message, loop.thread()), tag));
    }

    @Override
    public CompletableFuture<Message> request(MemorySegment message, long tag, Duration deadline) {
        return link.requests().request(message, tag, deadline, false, MessageContext.EMPTY, null);
    }

    @Override
    public CompletableFuture<Message> request(MemorySegment message, long tag, Duration deadline, Runnable reusable) {
        Objects.requireNonNull(reusable, "reusable");
        return link.requests().request(message, tag, deadline, false, MessageContext.EMPTY, reusable);
    }

    @Override
    public CompletableFuture<Message> request(MemorySegment message, long tag, RequestOptions options) {
        return link.requests()
                .request(message, tag, options.deadline(), options.waitsForConnection(), options.headers(), null);
    }

    @Override
    public CompletableFuture<Message> receive(long tag) {
        return receive(tag, Worker.FULL_TAG_MASK, settings.messageMax());
    }

    @Override
    public CompletableFuture<Message> receive(long tag, long tagMask, long maxLength) {
        return peers.receives().receive(this, tag, tagMask, maxLength);
    }

    @Override
    public CompletableFuture<Message> receiveInto(MemorySegment buffer, long tag, long tagMask) {
        return peers.receives().receiveInto(this, buffer, tag, tagMask);
    }

    @Override
    public CompletableFuture<PeerKey> unpack(byte[] packedKey) {
        return submit(new ConnectionOperation.Unpack(this, packedKey.clone()));
    }

    @Override
    public CompletableFuture<byte[]> packedKey(MemoryRegion region) {
        return submit(new ConnectionOperation.Pack(this, Objects.requireNonNull(region, "region")));
    }

    @Override
    public CompletableFuture<Void> put(MemorySegment source, PeerKey key, long targetOffset) {
        NodeKey checked = key(key, AccessRight.WRITE, "put", targetOffset, source.byteSize());
        return submit(new RemoteOperation.Put(this, checked, targetOffset, Memory.source(source, loop.thread())));
    }

    @Override
    public CompletableFuture<Void> putSignal(MemorySegment source, long signal, PeerKey key, long targetOffset) {
        NodeKey checked = key(key, AccessRight.WRITE, "put", targetOffset, source.byteSize());
        return submit(new RemoteOperation.PutSignal(
                this, checked, targetOffset, Memory.source(source, loop.thread()), signal));
    }

    @Override
    public CompletableFuture<Void> get(MemorySegment target, PeerKey key, long sourceOffset) {
        NodeKey checked = key(key, AccessRight.READ, "get", sourceOffset, target.byteSize());
        return submit(new RemoteOperation.Get(this, checked, sourceOffset, Memory.target(target, loop.thread())));
    }

    @Override
    public CompletableFuture<Long> fetchAdd(long addend, PeerKey key, long targetOffset) {
        return atomic(
                key, targetOffset, (endpoint, remote, done) -> endpoint.fetchAdd(addend, remote, targetOffset, done));
    }

    @Override
    public CompletableFuture<Long> fetchAnd(long bits, PeerKey key, long targetOffset) {
        return atomic(
                key, targetOffset, (endpoint, remote, done) -> endpoint.fetchAnd(bits, remote, targetOffset, done));
    }

    @Override
    public CompletableFuture<Long> fetchOr(long bits, PeerKey key, long targetOffset) {
        return atomic(
                key, targetOffset, (endpoint, remote, done) -> endpoint.fetchOr(bits, remote, targetOffset, done));
    }

    @Override
    public CompletableFuture<Long> fetchXor(long bits, PeerKey key, long targetOffset) {
        return atomic(
                key, targetOffset, (endpoint, remote, done) -> endpoint.fetchXor(bits, remote, targetOffset, done));
    }

    @Override
    public CompletableFuture<Long> swap(long replacement, PeerKey key, long targetOffset) {
        return atomic(
                key, targetOffset, (endpoint, remote, done) -> endpoint.swap(replacement, remote, targetOffset, done));
    }

    @Override
    public CompletableFuture<Long> compareAndSwap(long expected, long replacement, PeerKey key, long targetOffset) {
        return atomic(
                key,
                targetOffset,
                (endpoint, remote, done) -> endpoint.compareAndSwap(expected, replacement, remote, targetOffset, done));
    }

    private CompletableFuture<Long> atomic(PeerKey key, long targetOffset, RemoteOperation.AtomicPost post) {
        Arguments.aligned(targetOffset);
        NodeKey checked = key(key, AccessRight.ATOMIC, "atomic", targetOffset, Long.BYTES);
        return submit(new RemoteOperation.Atomic(this, checked, targetOffset, post));
    }

    @Override
    public CompletableFuture<Void> flush() {
        return submit(new ConnectionOperation.Flush(this));
    }

    @Override
    public CompletableFuture<Void> fence() {
        return submit(new ConnectionOperation.Fence(this));
    }

    private NodeKey key(PeerKey key, AccessRight right, String operation, long offset, long count) {
        if (!(key instanceof NodeKey known)) {
            throw new IllegalArgumentException("not a remote key of a node: key=" + key + "; unpack it on this peer");
        }
        known.check(this, right, operation, offset, count);
        return known;
    }

    private <T> CompletableFuture<T> submit(PeerOperation<T> operation) {
        return submit(operation, group.patienceNs());
    }

    /** Submits an operation. The call may wait {@code patienceNs} for each of two limits. */
    public <T> CompletableFuture<T> submit(PeerOperation<T> operation, long patienceNs) {
        NodeObserver observer = group.observer();
        OperationKind kind = observer == null ? null : operation.kind();
        if (observer != null && kind != null) {
            operation.observe(observer, kind, Optional.of(this), operation.length());
        }
        if (loop.isStopping()) {
            operation.refuse(Failures.nodeClosed());
        } else if (!permits.tryAcquire(patienceNs)) {
            operation.refuse(Failures.of(operation.describe(), Status.BACK_PRESSURE, toString(), Optional.empty()));
        } else if (hasMemory(operation, patienceNs) && !loop.enqueue(operation, patienceNs)) {
            permits.release();
            operation.refuse(Failures.of(operation.describe(), Status.BACK_PRESSURE, toString(), Optional.empty()));
        }
        return operation;
    }

    /** Copies what has to be copied. Returns false if the limit of bytes is reached, and the operation has failed. */
    private boolean hasMemory(PeerOperation<?> operation, long patienceNs) {
        Memory memory = operation.memory();
        if (memory == null) {
            return true;
        }
        try {
            if (memory.tryStage(byteLimit, patienceNs)) {
                return true;
            }
        } catch (FairleadException none) {
            permits.release();
            operation.refuse(none);
            return false;
        } catch (Throwable thrown) {
            // The caller has closed the memory on another thread.
            permits.release();
            operation.abandon(thrown);
            throw thrown;
        }
        permits.release();
        operation.refuse(
                Failures.tooManyBytes(operation.describe(), "peer=" + this, byteLimit.held(), byteLimit.max()));
        return false;
    }

    /** The bound on copies that wait to be sent to the peer. */
    ByteLimit byteLimit() {
        return byteLimit;
    }

    /** An operation has left the queue. */
    void releasePermit() {
        permits.release();
    }

    // Events.

    @Override
    public void onSignal(LongConsumer handler) {
        events.onSignal(handler);
    }

    @Override
    public void onReconnect(Runnable handler) {
        events.onReconnect(handler);
    }

    @Override
    public void onClosed(Consumer<Optional<FairleadException>> handler) {
        events.onClosed(handler);
    }

    // What the loop reports.

    void connected(Endpoint endpoint) {
        snapshot = new Snapshot(
                EndpointState.CONNECTED,
                endpoint.path().orElse(snapshot.path),
                Optional.empty(),
                endpoint.peerName(),
                endpoint.peerIncarnation(),
                endpoint.remoteAddress(),
                endpoint.peerIdentity(),
                endpoint.counters());
    }

    void closing() {
        become(EndpointState.CLOSING, snapshot.failure);
    }

    void reconnecting(Optional<FairleadException> cause) {
        become(EndpointState.CONNECTING, cause);
    }

    void ended(EndpointState state, Optional<FairleadException> cause) {
        become(state, cause);
        // Callers who wait for capacity go on, and their operations fail.
        permits.add(EVERYBODY);
        byteLimit.end();
    }

    public void signalled(long value) {
        events.signalled(value);
    }

    void reconnected() {
        events.reconnected();
    }

    void notifyClosed() {
        events.closed();
    }

    void releaseClosers() {
        over.countDown();
    }

    private void become(EndpointState state, Optional<FairleadException> failure) {
        Snapshot last = snapshot;
        snapshot = new Snapshot(
                state,
                last.path,
                failure,
                last.name,
                last.incarnation,
                last.remoteAddress,
                last.identity,
                last.counters);
    }

    // What callers query.

    @Override
    public EndpointState state() {
        return snapshot.state;
    }

    @Override
    public Path path() {
        return snapshot.path;
    }

    @Override
    public Optional<FairleadException> failure() {
        return snapshot.failure;
    }

    @Override
    public String name() {
        return snapshot.name;
    }

    @Override
    public long incarnation() {
        return snapshot.incarnation;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return snapshot.remoteAddress;
    }

    @Override
    public PeerIdentity identity() {
        return snapshot.identity;
    }

    @Override
    public Counters counters() {
        return snapshot.counters;
    }

    @Override
    public Node node() {
        return peers.node();
    }

    @Override
    public void close() {
        if (over.getCount() > 0) {
            // As an operation, because a command may overtake what this thread has called before.
            LoopTask.Action closing = new LoopTask.Action(_ -> link.close());
            if (!loop.enqueue(closing, group.patienceNs())) {
                loop.execute(closing);
            }
            awaitEnd();
        }
    }

    @Override
    public void abort() {
        if (over.getCount() > 0) {
            loop.execute(new LoopTask.Action(_ -> link.abort()));
            awaitEnd();
        }
    }

    private void awaitEnd() {
        if (ProgressThread.isCurrent()) {
            return;
        }
        try {
            // The engine takes up to twice the time-out, and the queue before it as much again.
            if (!over.await(group.closeLimitNs(), TimeUnit.NANOSECONDS)) {
                group.warnOfSlowClose("peer " + this);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        Snapshot now = snapshot;
        return (now.name.isEmpty() ? "peer" : now.name) + " at " + now.remoteAddress;
    }
}
