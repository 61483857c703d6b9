package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.EndpointHost;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** New rings for an endpoint that has left others, until it uses them. */
final class RingReturn {
    private final WorkerParts parts;
    private final EndpointHost host;
    private final RingSeal seal;
    private final WorkerAddress peer;

    /** Null but from the passing on. */
    private @Nullable RingPassing rings;

    /** The peer's process; null if reading it is not allowed. */
    private @Nullable PinnedProcess process;
    /** Memory of the peer's ring, or 0. */
    private long slab;

    RingReturn(WorkerParts parts, EndpointHost host, RingSeal seal, WorkerAddress peer) {
        this.parts = parts;
        this.host = host;
        this.seal = seal;
        this.peer = peer;
    }

    /**
     * Makes a ring, and passes it to the peer.
     *
     * @throws FairleadException if there is no memory for it, or the peer does not take it
     */
    void pass() {
        parts.peers().reach(host, peer, (pinned, socket) -> {
            RingPassing passing =
                    new RingPassing(parts.slots(), parts.rings(), host, seal, pinned != null, peer.token(), socket);
            rings = passing;
            process = pinned;
            return passing;
        });
    }

    /**
     * Takes the ring that the peer has passed.
     *
     * @throws FairleadException if it has passed none
     */
    void take() {
        RingPassing passing = passing();
        try {
            slab = passing.takePassed();
        } catch (IOException gone) {
            throw new FairleadException(
                    Reason.TRANSPORT,
                    "the peer's ring cannot be mapped: endpoint=" + host.label() + ", cause: " + gone.getMessage(),
                    gone);
        }
    }

    private RingPassing passing() {
        RingPassing passing = rings;
        if (passing == null) {
            throw new IllegalStateException("no ring was passed: endpoint=" + host.label());
        }
        return passing;
    }

    /** The ring that this side reads; the caller gives it back. */
    RingSlots.Slot takeSlot() {
        RingSlots.Slot taken = passing().slot();
        rings = null;
        return taken;
    }

    /** Memory of the ring that the peer reads; the caller's. */
    long takeSlab() {
        long taken = slab;
        slab = 0;
        return taken;
    }

    /** The peer's process; the caller releases it. */
    @Nullable PinnedProcess takeProcess() {
        PinnedProcess taken = process;
        process = null;
        return taken;
    }

    /** Releases what was not taken. */
    void close() {
        RingPassing passing = rings;
        rings = null;
        long left = takeSlab();
        CloseSteps.runAll(
                () -> {
                    if (passing != null) {
                        passing.forget();
                    }
                },
                () -> {
                    if (passing != null) {
                        passing.giveBack();
                    }
                },
                () -> {
                    if (left != 0) {
                        MemoryFile.unmapOther(left, RingSlots.SLAB_SIZE);
                    }
                },
                () -> parts.processes().release(takeProcess()));
    }
}
