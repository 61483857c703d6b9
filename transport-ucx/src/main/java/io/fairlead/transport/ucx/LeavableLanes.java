package io.fairlead.transport.ucx;

import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;

/** Lanes of an endpoint that it can leave. Everything on them that has to be in order travels in batches. */
interface LeavableLanes {
    // Batches that are sent.

    /** What a batch says to the peer: the number of its batches that were read. */
    long report();

    /** Keeps a batch, which is sent by UCX unless this side {@linkplain #hasLeft has left}. */
    void keep(TransportMessage batch);

    /** UCX does not use a batch any more. */
    void released(TransportMessage batch);

    /** Whether a batch waits for the peer to read others. */
    boolean isHeldUp();

    /** Whether the peer reads too little to be answered. It is answered when it has read more. */
    boolean isFull();

    // Batches that arrive.

    /** A batch by UCX is read next; false if it is to be ignored, because the peer sends it again. */
    boolean tryBegin(long report);

    /**
     * Takes a record that only such endpoints send; untrusted.
     *
     * @return false if nothing more can be taken
     */
    boolean tryTake(long word, MemorySegment batch, int at, int length);

    // Messages whose payload travels outside of batches.

    void sendLong(Operation operation);

    /** A payload has begun to arrive, with UCX's handle. */
    void longArrived(long handle, long length);

    // Leaving.

    /** Leaves in a later turn; false if this side leaves already, or has left. */
    boolean tryLeave(String why);

    /** Whether UCX sends nothing of this endpoint. */
    boolean hasLeft();

    /** Whether what UCX brings is ignored: this side has left, and is not back. */
    boolean ignoresUcx();

    /** Whether a record that is sent now arrives. Otherwise the peer may get none before both sides have left. */
    boolean maySend();

    /** There is something to do in the next turn. */
    void list();

    /**
     * Does what is due.
     *
     * @param idle whether UCX and the worker had nothing to do
     * @return whether nothing is left
     */
    boolean advance(boolean idle);
}
