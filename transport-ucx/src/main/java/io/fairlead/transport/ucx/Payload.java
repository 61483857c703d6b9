package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.spi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The payload of a message, in one buffer or several. */
final class Payload {
    private Payload() {}

    /** Sends the payload of an operation as one UCX message; returns UCX's answer. */
    static long send(UcxEndpointState state, UcxRequests requests, UcxRequest request, Operation operation, long tag) {
        MemorySegment[] buffers = operation.buffers();
        return buffers == null
                ? Ucp.tagSend(
                        state.handle(),
                        operation.buffer(),
                        operation.offset(),
                        operation.length(),
                        tag,
                        requests.plain.of(request.index))
                : send(state, requests, request, buffers, tag);
    }

    /** Sends several buffers as one UCX message; returns UCX's answer. */
    static long send(
            UcxEndpointState state, UcxRequests requests, UcxRequest request, MemorySegment[] buffers, long tag) {
        Arena arena = Arena.ofConfined();
        request.arena = arena;
        MemorySegment vector = arena.allocate(JAVA_LONG, 2L * buffers.length);
        int count = 0;
        for (MemorySegment buffer : buffers) {
            if (buffer.byteSize() > 0) {
                vector.setAtIndex(JAVA_LONG, 2L * count, buffer.address());
                vector.setAtIndex(JAVA_LONG, 2L * count + 1, buffer.byteSize());
                count++;
            }
        }
        return count == 0
                ? Ucp.tagSend(state.handle(), vector, 0, 0, tag, requests.plain.of(request.index))
                : Ucp.tagSend(state.handle(), vector, 0, count, tag, requests.gather.of(request.index));
    }

    /**
     * Copies bytes of an operation's payload.
     *
     * @param from the first byte of the payload
     * @param at where it goes
     */
    static void copy(Operation operation, long from, long length, MemorySegment target, long at) {
        MemorySegment[] buffers = operation.buffers();
        if (buffers == null) {
            MemorySegment.copy(operation.buffer(), operation.offset() + from, target, at, length);
            return;
        }
        long skipped = from;
        long done = 0;
        for (MemorySegment buffer : buffers) {
            long part = Math.min(buffer.byteSize() - skipped, length - done);
            if (part > 0) {
                MemorySegment.copy(buffer, skipped, target, at + done, part);
                done += part;
            }
            skipped = Math.max(0, skipped - buffer.byteSize());
        }
    }
}
