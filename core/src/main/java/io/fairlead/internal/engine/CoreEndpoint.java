package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.Path;
import io.fairlead.PeerIdentity;
import io.fairlead.RemoteKey;
import io.fairlead.Worker;
import io.fairlead.internal.events.EndpointSubject;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.memory.KeySecret;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The application's side of an endpoint, beside its posts. {@link EndpointLifecycle} has its state. */
final class CoreEndpoint extends PostingEndpoint implements SignalQueue.Receiver {
    private final CoreWorker worker;
    private final int id;
    private final EndpointLifecycle lifecycle;
    private final EndpointPeer peer;
    private final GuardedHandler handler;
    private final boolean exclusive;
    /** Null before the first active message. */
    private @Nullable ActiveInbox active;

    CoreEndpoint(CoreWorker worker, int id, EndpointLifecycle lifecycle, EndpointPeer peer, GuardedHandler handler) {
        super(worker.thread(), worker.completions(), worker.statistics(), worker.clock());
        this.worker = worker;
        this.id = id;
        this.lifecycle = lifecycle;
        this.peer = peer;
        this.handler = handler;
        this.exclusive = handler.isExclusive();
    }

    EndpointLifecycle lifecycle() {
        return lifecycle;
    }

    EndpointPeer peer() {
        return peer;
    }

    GuardedHandler handler() {
        return handler;
    }

    /** The active messages that have arrived; created with the first. */
    ActiveInbox active() {
        ActiveInbox known = active;
        if (known == null) {
            known = new ActiveInbox();
            known.broken = lifecycle.isOver();
            active = known;
        }
        return known;
    }

    /** The same, or null if there have been none. */
    @Nullable ActiveInbox usedActive() {
        return active;
    }

    // Called by posts, matching and keys.

    @Override
    void failThrown(Throwable thrown) {
        lifecycle.failThrown(thrown);
    }

    @Override
    void awaitCredits() {
        worker.connections().awaitCredits();
    }

    @Override
    EndpointSubject subject() {
        return peer;
    }

    @Override
    public String transportName() {
        return peer.chosenTransport();
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
        worker.checkThread();
    }

    @Override
    public boolean isExclusive() {
        return exclusive;
    }

    @Override
    public boolean tryKeep(CoreArrival arrival) {
        try {
            return lifecycle.transport().tryKeep(arrival);
        } catch (Throwable thrown) {
            // Only this message is lost; other messages and the rest of the teardown are not affected.
            lifecycle.log().logMessageLost(peer, arrival.tag, thrown);
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
    public RemoteKey unpack(byte[] packedKey) {
        worker.checkThread();
        return usableKeys()
                .unpack(Objects.requireNonNull(packedKey, "packedKey").clone());
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
