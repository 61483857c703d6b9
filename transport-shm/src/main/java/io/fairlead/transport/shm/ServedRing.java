package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.spi.served.RemoteRequester;
import io.fairlead.spi.served.RemoteResponder;
import io.fairlead.spi.served.ServedChannel;
import io.fairlead.spi.served.ServedLimits;
import io.fairlead.spi.served.ServedMessage;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/**
 * Emulated remote memory access over the rings: for registered regions, which no other process can map, and for regions
 * whose memory this process could not open.
 */
final class ServedRing implements ServedChannel {
    private static final int DATA_MAX = Ring.PAYLOAD_MAX - ServedMessage.HEADER_MAX;
    private static final int WINDOW = 64;
    static final ServedLimits LIMITS = new ServedLimits(DATA_MAX, DATA_MAX, DATA_MAX, WINDOW, 1);

    private final EndpointOwner owner;
    private final RingOutbox outbox;
    private final BooleanSupplier mayAsk;
    private final RemoteRequester requester;
    private final RemoteResponder responder;
    private final ServedMessage in = new ServedMessage();
    /** The ring was full for a message. */
    private boolean full;

    /**
     * Creates the channel.
     *
     * @param mayAsk whether fences allow requests to the peer
     */
    ServedRing(EndpointOwner owner, RingOutbox outbox, BooleanSupplier mayAsk) {
        this.owner = owner;
        this.outbox = outbox;
        this.mayAsk = mayAsk;
        this.requester = new RemoteRequester(owner.host(), this, LIMITS);
        this.responder = new RemoteResponder(owner.host(), this, LIMITS);
    }

    /** The operations of this side that the peer serves. */
    RemoteRequester requester() {
        return requester;
    }

    @Override
    public Outcome send(ServedMessage message) {
        RingWriter ring = outbox.ring();
        int header = message.headerLength();
        int payload = header + message.dataLength();
        if (ring == null || !ring.tryClaim(payload)) {
            if (!full) {
                full = true;
                owner.markBacklogged();
            }
            return Outcome.FULL;
        }
        message.write(ring.memory(), ring.payloadAt());
        if (message.dataLength() > 0) {
            MemorySegment.copy(
                    message.data(),
                    message.dataOffset(),
                    ring.memory(),
                    ring.payloadAt() + header,
                    message.dataLength());
        }
        ring.publish(Ring.SERVED, payload, 0, payload);
        owner.markWritten();
        return Outcome.COPIED;
    }

    @Override
    public boolean mayAsk() {
        return !owner.hasEnded() && mayAsk.getAsBoolean();
    }

    @Override
    public void memoryClosed(IllegalStateException cause) {
        owner.failMemoryClosed(cause);
    }

    /**
     * Takes a message of the peer.
     *
     * @throws FairleadException {@code PROTOCOL_VIOLATION}
     */
    void take(RingReader ring) {
        MemorySegment memory = ring.memory();
        long at = ring.payloadAt();
        int header = in.readWhole(memory, at, ring.length(), DATA_MAX);
        if (in.isAnswer()) {
            requester.answered(in, memory, at + header);
        } else {
            responder.request(in, memory, at + header);
        }
    }

    /** The ring may have capacity again: answers first, because the peer waits for them. */
    void resume() {
        if (full) {
            full = false;
            responder.resume();
            requester.resume();
        }
    }

    /** Whether no message waits for capacity. */
    boolean isIdle() {
        return !full;
    }
}
