package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.DirectEndpoint;
import io.fairlead.spi.EagerPool;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import io.fairlead.spi.ProgressingEndpoint;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.WireUpEndpoint;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint whose peer is a process of this host: a {@link Ring} in each direction, and the peer's regions mapped
 * here. Each side offers the ring that it reads in the handshake, the listener first. A side writes once it has the
 * other's offer.
 */
final class ShmEndpoint implements WireUpEndpoint, ProgressingEndpoint, DirectEndpoint, RingUser, EndpointOwner {
    /**
     * The common parts of a worker's endpoints.
     *
     * @param singleCopy whether messages that are short for a rendezvous and long for two copies are sent by single copy to
     *     peers that may read them
     */
    record Parts(RingSlots slots, RingSchedule turns, EagerPool pool, PinnedProcesses processes, boolean singleCopy) {}

    private final Parts parts;
    private final RingSchedule turns;
    private final EndpointHost host;
    /** Null before the first offer, and once both sides have offered their rings. */
    private RingOffer.@Nullable Sealer offers;

    /** The peer's process id. */
    private final int peerNumber;
    /** The ring that this side reads; null once the endpoint is closed. */
    private RingSlots.@Nullable Slot slot;

    /** The ring that the peer reads; null before its offer, and once the endpoint is closed. */
    private @Nullable PeerRing peer;
    /** Why the peer's ring is not writable; null if it is. */
    private @Nullable FairleadException unmapped;
    /** The peer's process; null if reading it is not allowed. */
    private @Nullable PinnedProcess process;

    private final RingInbox inbox;
    private final RingOutbox outbox;
    /** Null before the first key of the peer's and its first request. */
    private @Nullable MappedOperations mapped;

    /** The schedule knows of remaining work, and of written records. */
    private boolean backlogged;

    private boolean written;
    private boolean failed;
    private boolean closed;

    /**
     * Creates an endpoint.
     *
     * @param peerNumber the peer's process id
     * @param process the peer's process; null if this one may not read it
     * @throws FairleadException {@code LIMIT_REACHED} if there is no memory for its ring
     */
    ShmEndpoint(Parts parts, EndpointHost host, int peerNumber, @Nullable PinnedProcess process) {
        this.parts = parts;
        this.turns = parts.turns();
        this.host = host;
        this.peerNumber = peerNumber;
        this.process = process;
        this.slot = parts.slots().take();
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
        RingSlots.Slot mine = slot;
        if (mine == null) {
            return new byte[0];
        }
        RingOffer offer = offers().make(mine.key(), mine.index());
        if (process != null) {
            Ring.allowSingleCopy(mine.address());
        }
        Ring.setSeal(mine.address(), offer.seal());
        return offer.encode();
    }

    private RingOffer.Sealer offers() {
        RingOffer.Sealer known = offers;
        if (known == null) {
            known = new RingOffer.Sealer(host);
            offers = known;
        }
        return known;
    }

    @Override
    public void wireUp(byte[] data) {
        PeerRing opened;
        try {
            opened = PeerRing.open(host, offers(), peerNumber, data);
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
        outbox.open(opened, parts.singleCopy());
    }

    @Override
    public void begin() {
        offers = null;
        RingSlots.Slot mine = slot;
        if (mine != null) {
            inbox.open(mine);
            turns.addReader(this);
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
            failViolation(ring.falsePositionText());
            return 1;
        }
        int count = 0;
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
        return count + records;
    }

    @Override
    public boolean isCaughtUp() {
        RendezvousIn coming = inbox.announced();
        backlogged = !hasEnded()
                && !(outbox.isIdle()
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
        PeerRing opened = peer;
        if (opened != null) {
            opened.wake();
        }
    }

    @Override
    public boolean tryAwaitRoom() {
        PeerRing opened = peer;
        RendezvousIn coming = inbox.announced();
        return opened != null && !hasEnded() && (coming == null || !coming.isReading()) && opened.tryAwaitRoom();
    }

    @Override
    public boolean hasRoom() {
        PeerRing opened = peer;
        return opened == null || !opened.isFull();
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
            return inbox.read();
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
    public RemoteMemory unpack(byte[] key, RegionProof region, long length) {
        // Before the key is mapped: without memory for this, nothing has to be given back.
        MappedOperations _ = mapped();
        return RegionKey.unpack(host, peerNumber, key, region, length);
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
                this::releasePeer,
                this::releaseProcess,
                this::releaseSlot);
    }

    private void cancelMemory() {
        if (mapped != null) {
            mapped.cancel();
        }
    }

    private void releasePeer() {
        PeerRing opened = peer;
        if (opened != null) {
            peer = null;
            opened.close();
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
