package io.fairlead.pubsub.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import java.lang.foreign.MemorySegment;

/** Sends a stream's control messages to the publisher, one at a time, from one header. */
final class ControlSender {
    private final Endpoint endpoint;
    private final int stream;
    private final PinnedMemory memory = new PinnedMemory(Wire.CONTROL_BYTES);
    private final MemorySegment header = memory.segment();
    private final Completion completion = _ -> memory.end();

    ControlSender(Endpoint endpoint, int stream) {
        this.endpoint = endpoint;
        this.stream = stream;
    }

    /** Whether a message may be sent. */
    boolean idle() {
        return memory.idle() && !memory.retired();
    }

    /** Sends a message without payload; false if the transport takes nothing now. */
    boolean send(int kind, long first, long second) {
        Wire.putControl(header, kind, stream, first, second);
        return isTaken(endpoint.sendActive(Wire.HANDLER, header, header, 0, 0, completion, 0));
    }

    /** Sends the request to join; false if the transport takes nothing now. */
    boolean send(JoinRequest join) {
        PinnedMemory payload = new PinnedMemory(Wire.JOIN_BYTES_MAX);
        int length = join.encode(payload.segment());
        Wire.putControl(header, Wire.SUBSCRIBE, stream, 0, 0);
        boolean taken = isTaken(endpoint.sendActive(
                Wire.HANDLER,
                header,
                payload.segment(),
                0,
                length,
                _ -> {
                    payload.end();
                    memory.end();
                },
                0));
        if (taken) {
            payload.begin();
        }
        payload.retire();
        return taken;
    }

    private boolean isTaken(long result) {
        if (result < 0) {
            return false;
        }
        memory.begin();
        return true;
    }

    void retire() {
        memory.retire();
    }
}
