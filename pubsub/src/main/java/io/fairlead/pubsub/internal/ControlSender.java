package io.fairlead.pubsub.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import java.lang.foreign.MemorySegment;

/** Sends a stream's control messages to the publisher, one at a time, from one buffer. */
final class ControlSender {
    private final Endpoint endpoint;
    private final PinnedMemory memory = new PinnedMemory(Wire.CONTROL_BYTES_MAX);
    private final Completion completion = request -> memory.end();

    ControlSender(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Whether the buffer may be written. */
    boolean idle() {
        return memory.idle() && !memory.retired();
    }

    MemorySegment segment() {
        return memory.segment();
    }

    /** Sends the buffer's beginning; false if the transport takes nothing now. */
    boolean send(long length) {
        if (endpoint.send(memory.segment(), 0, length, Wire.controlTag(), completion, 0) < 0) {
            return false;
        }
        memory.begin();
        return true;
    }

    void retire() {
        memory.retire();
    }
}
