package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
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
import io.fairlead.spi.served.RemoteRequester;
import io.fairlead.spi.served.RemoteResponder;
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
    private final SingleCopyArrivals singleCopies;
    private final RendezvousIn coming;
    private final RendezvousOut leaving;
    private final ServedRing served;
    private final RemoteRequester requester;
    private final RemoteResponder responder;
    private final Fences fences = new Fences();
    private final MappedOperations mapped;

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
        this.leaving = new RendezvousOut(this);
        this.coming = new RendezvousIn(this, parts.processes().memory(), process);
        this.outbox = new RingOutbox(this, leaving, this::signalLeft);
        this.served = new ServedRing(this, this::mayAsk);
        this.requester = new RemoteRequester(host, served, ServedRing.LIMITS);
        this.responder = new RemoteResponder(host, served, ServedRing.LIMITS);
        this.mapped = new MappedOperations(this, outbox, requester, fences);
        EagerArrivals eager = new EagerArrivals(this, parts.pool());
        this.singleCopies = new SingleCopyArrivals(this, parts.processes().memory(), process, eager, coming);
        this.inbox = new RingInbox(this, eager, singleCopies, coming, leaving, served, requester, responder);
    }

    private boolean mayAsk() {
        return fences.mayAsk(mapped.done());
    }

    private void signalLeft() {
        mapped.signalLeft();
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
                            + "; where the peer has ended, or has given up a connection that took too long, connect again",
                    gone);
            if (host.isConnector()) {
                throw unmapped;
            }
            return;
        }
        peer = opened;
        outbox.open(opened.writer(), parts.singleCopy());
        singleCopies.open(opened.writer());
        served.open(opened.writer());
    }

    @Override
    public void begin() {
        offers = null;
        RingSlots.Slot mine = slot;
        if (mine != null) {
            inbox.open(new RingReader(mine.address()));
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
        PeerRing opened = peer;
        if (opened == null || hasEnded()) {
            return 0;
        }
        RingWriter ring = opened.writer();
        if (ring.hasFalsePosition()) {
            failViolation(ring.falsePositionText());
            return 1;
        }
        int count = coming.read(ring);
        if (hasEnded()) {
            return count;
        }
        // Answers first: the peer waits for them.
        int answers = coming.answer(ring);
        if (answers > 0) {
            markWritten();
        }
        served.resume(requester, responder);
        int records = outbox.catchUp();
        if (records > 0) {
            markWritten();
        }
        return count + answers + records;
    }

    @Override
    public boolean isCaughtUp() {
        backlogged = !hasEnded() && !(outbox.isEmpty() && leaving.isIdle() && coming.isIdle() && served.isIdle());
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
        return opened != null
                && !hasEnded()
                && !coming.isReading()
                && opened.writer().tryAwaitRoom();
    }

    @Override
    public boolean hasRoom() {
        PeerRing opened = peer;
        return opened == null || !opened.writer().isFull();
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
            return mapped.put(memory, operation);
        }
        requester.put(operation);
        return true;
    }

    @Override
    public boolean get(Operation operation) {
        if (failed) {
            return false;
        }
        if (operation.remote() instanceof MappedMemory memory) {
            return mapped.get(memory, operation);
        }
        requester.get(operation);
        return true;
    }

    @Override
    public boolean tryPut(RemoteMemory target, long targetOffset, MemorySegment source, long offset, long length) {
        return !failed
                && target instanceof MappedMemory memory
                && mapped.tryPut(memory, targetOffset, source, offset, length);
    }

    @Override
    public boolean tryGet(RemoteMemory source, long sourceOffset, MemorySegment target, long offset, long length) {
        return !failed
                && source instanceof MappedMemory memory
                && mapped.tryGet(memory, sourceOffset, target, offset, length);
    }

    @Override
    public boolean atomic(Operation operation) {
        if (failed) {
            return false;
        }
        if (operation.remote() instanceof MappedMemory memory) {
            return mapped.atomic(memory, operation);
        }
        requester.atomic(operation);
        return true;
    }

    @Override
    public boolean flush(Operation operation) {
        if (failed) {
            return false;
        }
        mapped.flush(operation);
        return true;
    }

    @Override
    public void fence() {
        mapped.fence();
    }

    @Override
    public void setCopying(boolean any) {
        turns.setCopying(this, any);
    }

    @Override
    public int copy() {
        try {
            return mapped.advance();
        } catch (RuntimeException | Error thrown) {
            failThrown(thrown);
            return 1;
        }
    }

    @Override
    public RemoteMemory unpack(byte[] key, RegionProof region, long length) {
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
        return failed
                || (outbox.isEmpty()
                        && leaving.isDrained()
                        && coming.isDrained()
                        && mapped.isEmpty()
                        && requester.isIdle()
                        && served.isIdle());
    }

    @Override
    public void close() {
        closed = true;
        RingSlots.Slot mine = slot;
        if (mine != null) {
            Ring.end(mine.address());
        }
        CloseSteps.runAll(
                () -> served.open(null),
                requester::cancel,
                mapped::cancel,
                outbox::close,
                leaving::close,
                inbox::close,
                () -> turns.forget(this),
                this::releasePeer,
                this::releaseProcess,
                this::releaseSlot);
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
