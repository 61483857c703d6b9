package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.DirectEndpoint;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.HmacKey;
import io.fairlead.spi.LaneEndpoint;
import io.fairlead.spi.Operation;
import io.fairlead.spi.ProgressingEndpoint;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.WireUpEndpoint;
import io.fairlead.spi.served.ServedMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint whose peer is a process of this host: a {@link Ring} in each direction, and the peer's regions mapped
 * here. Each side passes the ring that it reads over a {@link LocalSocket} during the handshake, the listener first. A
 * side writes once it has the other's ring.
 */
final class ShmEndpoint
        implements WireUpEndpoint,
                ProgressingEndpoint,
                DirectEndpoint,
                LaneEndpoint,
                RingUser,
                EndpointOwner,
                LaneSwitch.User {
    private final WorkerParts parts;
    private final RingSchedule turns;
    private final EndpointHost host;
    /** The connection's key for passing descriptors. */
    private final HmacKey key;
    /** The number of the connection at the server of this side's regions. */
    private final long admission;
    /** What the peer has said in the handshake. */
    private byte[] peerData = new byte[0];

    /** Asks for the peer's regions; null before its first key. */
    private @Nullable RegionClient regions;

    /** Null once the endpoint has begun. */
    private @Nullable RingWireUp wireUp;

    /** The peer's worker; null unless this side may leave the rings. */
    private final @Nullable WorkerAddress address;

    /** The ring that this side reads; null once the endpoint is closed. */
    private RingSlots.@Nullable Slot slot;

    /** The ring that the peer reads; null before it was passed, and once the endpoint is closed. */
    private @Nullable PeerRing peer;
    /** Why the peer's ring is not writable; null if it is. */
    private @Nullable FairleadException unmapped;
    /** The peer's process; null if reading it is not allowed. */
    private @Nullable PinnedProcess process;

    private final RingInbox inbox;
    private final RingOutbox outbox;
    /** How this side leaves the rings; null if it must not. */
    private @Nullable LaneSwitch lanes;
    /** Null before the first key of the peer's and its first request. */
    private @Nullable MappedOperations mapped;

    /** The schedule knows of remaining work, and of written records. */
    private boolean backlogged;

    private boolean written;

    private boolean failed;
    private boolean closed;

    /**
     * Creates an endpoint, and passes its ring to the peer.
     *
     * @param process the peer's process; null if this one may not read it
     * @param address the peer's worker
     * @param socket to that one's {@link RingListener}
     * @throws FairleadException {@code LIMIT_REACHED} if there is no memory for its ring
     * @throws IOException if the peer does not take the ring
     */
    ShmEndpoint(
            WorkerParts parts,
            EndpointHost host,
            @Nullable PinnedProcess process,
            WorkerAddress address,
            LocalSocket socket)
            throws IOException {
        this.parts = parts;
        this.turns = parts.turns();
        this.host = host;
        this.process = process;
        this.key = RingSeal.key(host);
        RingWireUp begun = new RingWireUp(
                parts.slots(), parts.rings(), parts.transport(), host, key, process != null, address.token(), socket);
        this.wireUp = begun;
        this.admission = begun.admission();
        this.address = host.mayLeaveLanes() ? address : null;
        this.slot = begun.slot();
        this.outbox = new RingOutbox(this);
        this.inbox = new RingInbox(
                this,
                new EagerArrivals(this, parts.pool()),
                outbox,
                parts.processes().memory(),
                process);
    }

    /** Most endpoints carry messages alone. */
    private MappedOperations mapped() {
        MappedOperations known = mapped;
        if (known == null) {
            known = new MappedOperations(this, outbox);
            if (hasLeftRings()) {
                known.leave();
            }
            mapped = known;
        }
        return known;
    }

    private ServedRing served() {
        return mapped().served();
    }

    @Override
    public void takeServed(RingReader ring) {
        served().take(ring);
    }

    @Override
    public void signalLeft() {
        mapped().signalLeft();
    }

    // Opening.

    @Override
    public byte[] wireUpData() {
        return Objects.requireNonNull(wireUp, "wireUp").data();
    }

    @Override
    public void wireUp(byte[] data) {
        peerData = data.clone();
        PeerRing opened;
        try {
            opened = Objects.requireNonNull(wireUp, "wireUp").open(data);
        } catch (IOException gone) {
            unmapped = new FairleadException(
                    Reason.TRANSPORT,
                    "the peer's ring cannot be mapped: endpoint=" + host.label() + ", cause: " + gone.getMessage()
                            + "; where the peer has ended, or has given up a connection that took too long, connect"
                            + " again",
                    gone);
            if (host.isConnector()) {
                throw unmapped;
            }
            return;
        }
        peer = opened;
        if (opened instanceof KeptRing kept && address != null) {
            lanes = new LaneSwitch(this, kept, new RingReturn(parts, host, new RingSeal(host, key), address));
        }
        outbox.open(opened, parts.transport().singleCopy());
    }

    @Override
    public void begin() {
        RingSlots.Slot mine = slot;
        if (mine != null) {
            inbox.open(mine);
            turns.addReader(this);
        }
        PeerRing opened = peer;
        if (opened != null) {
            wireUp = null;
            opened.watch(parts.lost(), this);
        }
        if (unmapped != null) {
            // A connector may have sent, closed and freed its ring by now: its disconnect and its messages have
            // arrived, and come first.
            fail(unmapped);
        }
    }

    @Override
    public List<String> lanes() {
        return Lanes.of(process != null);
    }

    @Override
    public EndpointHost host() {
        return host;
    }

    // Messages.

    @Override
    public boolean send(Operation operation) {
        if (failed) {
            return false;
        }
        outbox.post(operation);
        return true;
    }

    @Override
    public boolean trySend(MemorySegment buffer, long offset, long length, long tag) {
        return !failed && outbox.trySend(buffer, offset, length, tag);
    }

    @Override
    public boolean trySendActive(int handler, MemorySegment header, MemorySegment buffer, long offset, long length) {
        return !failed && outbox.trySendActive(handler, header, buffer, offset, length);
    }

    @Override
    public void markBacklogged() {
        if (!backlogged) {
            backlogged = true;
            turns.addBacklogged(this);
        }
    }

    @Override
    public int catchUp() {
        try {
            return writeBacklog();
        } catch (FairleadException violation) {
            fail(violation);
            return 1;
        } catch (RuntimeException | Error thrown) {
            failThrown(thrown);
            return 1;
        }
    }

    private int writeBacklog() {
        PeerRing ring = peer;
        if (ring == null || hasEnded()) {
            return 0;
        }
        if (ring.hasFalsePosition()) {
            if (lanes == null) {
                failViolation(ring.falsePositionText());
                return 1;
            }
            boolean _ = lanes.tryLeave(ring.falsePositionText());
        }
        LaneSwitch leaving = lanes;
        int count = leaving == null ? 0 : leaving.advance();
        RendezvousIn coming = inbox.announced();
        if (coming != null) {
            count = coming.read(ring);
            if (hasEnded()) {
                return count;
            }
            // Answers first: the peer waits for them.
            int answers = coming.answer(ring);
            if (answers > 0) {
                markWritten();
            }
            count += answers;
        }
        if (mapped != null) {
            mapped.served().resume();
        }
        int records = outbox.catchUp();
        if (records > 0) {
            markWritten();
        }
        if (leaving != null) {
            count += leaving.advance();
        }
        return count + records;
    }

    @Override
    public boolean isCaughtUp() {
        RendezvousIn coming = inbox.announced();
        backlogged = !hasEnded()
                && !(outbox.isIdle()
                        && (lanes == null || lanes.isIdle())
                        && (coming == null || coming.isIdle())
                        && (mapped == null || mapped.served().isIdle()));
        return !backlogged;
    }

    @Override
    public void markWritten() {
        if (!written) {
            written = true;
            turns.addWritten(this);
        }
    }

    @Override
    public void wakePeer() {
        written = false;
        LaneSwitch left = lanes;
        if (left != null && left.isStreaming()) {
            // A record here is one that waits to be sent.
            advanceLanes(left);
            return;
        }
        PeerRing opened = peer;
        if (opened != null) {
            opened.wake();
        }
    }

    private void advanceLanes(LaneSwitch left) {
        try {
            if (!hasEnded()) {
                int _ = left.advance();
            }
        } catch (FairleadException violation) {
            fail(violation);
        } catch (RuntimeException | Error thrown) {
            failThrown(thrown);
        }
    }

    @Override
    public void prefetchForWrite() {
        PeerRing opened = peer;
        if (opened != null) {
            opened.prefetchForWrite();
        }
    }

    @Override
    public boolean tryAwaitRoom() {
        LaneSwitch left = lanes;
        if (left != null && left.isBlocked()) {
            return !hasEnded();
        }
        PeerRing opened = peer;
        RendezvousIn coming = inbox.announced();
        return opened != null && !hasEnded() && (coming == null || !coming.isReading()) && opened.tryAwaitRoom();
    }

    @Override
    public boolean hasRoom() {
        PeerRing opened = peer;
        LaneSwitch left = lanes;
        return opened == null || ((left == null || !left.isBlocked()) && !opened.isFull());
    }

    @Override
    public boolean hasWork() {
        return inbox.hasWork();
    }

    @Override
    public int progress() {
        return read();
    }

    @Override
    public int read() {
        try {
            int count = inbox.read();
            if (lanes != null) {
                lanes.reportRead();
            }
            return count;
        } catch (FairleadException violation) {
            fail(violation);
        } catch (RuntimeException | Error thrown) {
            failThrown(thrown);
        }
        return 1;
    }

    @Override
    public void deliver(Arrival arrival) {
        inbox.deliver(arrival);
    }

    @Override
    public void discard(Arrival arrival) {
        inbox.discard(arrival);
    }

    // Remote memory.

    @Override
    public boolean put(Operation operation) {
        if (failed) {
            return false;
        }
        if (operation.remote() instanceof MappedMemory memory) {
            return mapped().put(memory, operation);
        }
        served().requester().put(operation);
        return true;
    }

    @Override
    public boolean get(Operation operation) {
        if (failed) {
            return false;
        }
        if (operation.remote() instanceof MappedMemory memory) {
            return mapped().get(memory, operation);
        }
        served().requester().get(operation);
        return true;
    }

    @Override
    public boolean tryPut(RemoteMemory target, long targetOffset, MemorySegment source, long offset, long length) {
        return !failed
                && target instanceof MappedMemory memory
                && mapped().tryPut(memory, targetOffset, source, offset, length);
    }

    @Override
    public boolean tryGet(RemoteMemory source, long sourceOffset, MemorySegment target, long offset, long length) {
        return !failed
                && source instanceof MappedMemory memory
                && mapped().tryGet(memory, sourceOffset, target, offset, length);
    }

    @Override
    public boolean atomic(Operation operation) {
        if (failed) {
            return false;
        }
        if (operation.remote() instanceof MappedMemory memory) {
            return mapped().atomic(memory, operation);
        }
        served().requester().atomic(operation);
        return true;
    }

    @Override
    public boolean flush(Operation operation) {
        if (failed) {
            return false;
        }
        if (mapped == null) {
            operation.complete(Status.OK, 0);
        } else {
            mapped.flush(operation);
        }
        return true;
    }

    @Override
    public void fence() {
        if (mapped != null) {
            mapped.fence();
        }
    }

    @Override
    public void setCopying(boolean any) {
        turns.setCopying(this, any);
    }

    @Override
    public int copy() {
        try {
            return mapped().advance();
        } catch (RuntimeException | Error thrown) {
            failThrown(thrown);
            return 1;
        }
    }

    @Override
    public RemoteMemory unpack(byte[] regionKey, RegionProof region, long length) {
        // Before the key is mapped: without memory for this, nothing has to be given back.
        MappedOperations _ = mapped();
        if (hasLeftRings()) {
            return new ServedMemory(region);
        }
        RegionClient known = regions;
        if (known == null) {
            known = RingWireUp.regions(key, parts.transport().place(), peerData);
            regions = known;
        }
        return known.unpack(host, regionKey, region, length);
    }

    // Leaving the rings.

    private boolean hasLeftRings() {
        return lanes != null && lanes.hasLeft();
    }

    @Override
    public boolean tryLeaveLanes(String cause) {
        return lanes != null && !hasEnded() && lanes.tryLeave(cause);
    }

    @Override
    public void failLane(String how) {
        if (lanes == null || lanes.readsStream()) {
            failViolation(how);
        } else {
            boolean _ = tryLeaveLanes(how);
        }
    }

    @Override
    public void frame(ByteBuffer frame) {
        LaneSwitch left = lanes;
        if (left == null) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION, "the peer must not leave its rings: endpoint=" + host.label());
        }
        left.take(frame);
    }

    @Override
    public StreamedRing leaveRings() {
        StreamedRing in = StreamedRing.after(Objects.requireNonNull(slot, "slot"));
        outbox.endSingleCopy();
        inbox.leave(in);
        if (mapped != null) {
            mapped.leave();
        }
        markBacklogged();
        return in;
    }

    @Override
    public void releaseRings() {
        releaseProcess();
        releaseSlot();
    }

    @Override
    public boolean tryReturnToLanes() {
        return lanes != null && !hasEnded() && lanes.tryReturn();
    }

    @Override
    public void readRing(RingSlots.Slot ring) {
        slot = ring;
        inbox.open(ring);
    }

    @Override
    public void useRings(@Nullable PinnedProcess readable) {
        process = readable;
        inbox.allowReading(readable);
        outbox.open(Objects.requireNonNull(peer, "peer"), parts.transport().singleCopy());
        if (mapped != null) {
            mapped.comeBack();
        }
    }

    // End of the endpoint.

    @Override
    public boolean hasEnded() {
        return failed || closed;
    }

    @Override
    public void failLost(String how) {
        fail(new FairleadException(
                Reason.PEER_LOST, "peer's process is ending: " + how + ", endpoint=" + host.label()));
    }

    @Override
    public void failMemoryClosed(IllegalStateException cause) {
        fail(new FairleadException(
                Reason.TRANSPORT,
                "memory of an operation was closed before the operation ended: endpoint=" + host.label() + ", cause: "
                        + cause.getMessage() + "; keep its Arena open until the completion has run",
                cause));
    }

    @Override
    public void failViolation(String how) {
        fail(new FairleadException(Reason.PROTOCOL_VIOLATION, how + ", endpoint=" + host.label()));
    }

    private void failThrown(Throwable thrown) {
        fail(new FairleadException(
                Reason.TRANSPORT, "shm transport failed: endpoint=" + host.label() + ", cause: " + thrown, thrown));
    }

    @Override
    public void endWithPeer() {
        for (int left = Ring.CAPACITY / Ring.ALIGNMENT; left > 0 && !hasEnded(); ) {
            int count = read();
            left = count == 0 ? 0 : left - count;
        }
        failLost("it was killed, or has exited without a close");
    }

    private void fail(FairleadException cause) {
        if (!hasEnded()) {
            failed = true;
            host.failed(cause);
        }
    }

    @Override
    public boolean isDrained() {
        RendezvousIn coming = inbox.announced();
        return failed
                || (outbox.isDrained()
                        && (lanes == null || lanes.isDrained())
                        && (coming == null || coming.isDrained())
                        && (mapped == null || mapped.isDrained()));
    }

    @Override
    public void close() {
        closed = true;
        RingSlots.Slot mine = slot;
        if (mine != null) {
            Ring.end(mine.address());
        }
        CloseSteps.runAll(
                outbox::stop,
                this::cancelMemory,
                outbox::close,
                inbox::close,
                () -> turns.forget(this),
                this::releaseLanes,
                this::releasePeer,
                this::releaseWireUp,
                this::releaseProcess,
                this::releaseSlot,
                () -> parts.transport().regions().refuse(admission));
    }

    private void cancelMemory() {
        if (mapped != null) {
            mapped.cancel();
        }
    }

    /** The ring that this side reads, for tests; 0 once it is closed. */
    long ringAddress() {
        RingSlots.Slot mine = slot;
        return mine == null ? 0 : mine.address();
    }

    private void releaseLanes() {
        if (lanes != null) {
            lanes.close();
        }
    }

    private void releasePeer() {
        PeerRing opened = peer;
        if (opened != null) {
            peer = null;
            opened.close();
        }
    }

    private void releaseWireUp() {
        if (wireUp != null) {
            wireUp.close();
        }
    }

    private void releaseProcess() {
        PinnedProcess pinned = process;
        process = null;
        parts.processes().release(pinned);
    }

    private void releaseSlot() {
        RingSlots.Slot mine = slot;
        if (mine != null) {
            slot = null;
            parts.slots().giveBack(mine);
        }
    }
}
