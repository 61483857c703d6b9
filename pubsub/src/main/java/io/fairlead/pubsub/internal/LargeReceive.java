package io.fairlead.pubsub.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import java.lang.foreign.MemorySegment;

/** Receives the payloads of large messages of a stream, one at a time, into memory that grows to the longest. */
final class LargeReceive {
    private enum State {
        IDLE,
        DUE,
        POSTED,
        READY,
        FAILED
    }

    private final Endpoint endpoint;
    private final long tag;
    private final Completion completion = this::received;
    private PinnedMemory memory = new PinnedMemory(64);
    private State state = State.IDLE;
    private long announced;
    private long room;
    private long received;
    private long request;

    LargeReceive(Endpoint endpoint, long tag) {
        this.endpoint = endpoint;
        this.tag = tag;
    }

    /** A payload of that length follows. */
    void expect(long length, boolean wanted) {
        announced = length;
        // Without memory the message is received and discarded.
        room = wanted ? length : 0;
        if (room > memory.segment().byteSize()) {
            memory.retire();
            memory = new PinnedMemory(Math.max(64, Long.highestOneBit(room - 1) << 1));
        }
        state = State.DUE;
        post();
    }

    /** Whether a payload was announced and not yet taken. */
    boolean pending() {
        return state != State.IDLE;
    }

    /** Posts the receive if it could not be posted before. */
    void post() {
        if (state != State.DUE) {
            return;
        }
        long result = endpoint.receive(memory.segment(), 0, room, tag, Wire.TAG_MASK, completion, 0);
        if (result >= 0) {
            request = result;
            state = State.POSTED;
            memory.begin();
        } else if (result != Endpoint.BACK_PRESSURE) {
            state = State.FAILED;
        }
    }

    private void received(Request completed) {
        boolean arrived = completed.status() == Status.OK || completed.status() == Status.TRUNCATED;
        received = completed.length();
        state = arrived ? State.READY : State.FAILED;
        memory.end();
    }

    boolean ready() {
        return state == State.READY;
    }

    boolean failed() {
        return state == State.FAILED;
    }

    /** Whether the payload has the length that was announced. */
    boolean asAnnounced() {
        return received == announced;
    }

    MemorySegment segment() {
        return memory.segment();
    }

    long length() {
        return announced;
    }

    /** The payload is taken; its memory is valid until the next is expected. */
    void take() {
        state = State.IDLE;
    }

    void retire() {
        if (state == State.POSTED) {
            endpoint.worker().cancel(request);
        }
        memory.retire();
    }
}
