package io.fairlead.transport.ucx;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.LocalRegion;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Does what one peer asks for on the regions of this process, in the order in which it was asked. The peer's core has checked range and
 * rights, so that a request which fails here is no mistake of an application.
 */
final class Serving {
    private final UcxEndpoint endpoint;
    /** Answers that have not left, each of which takes memory. */
    private int unsent;

    Serving(UcxEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Serves a request and answers it.
     *
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if it is none that a peer may make
     */
    void request(Note request) {
        if (unsent == Asking.WINDOW) {
            throw violation(
                    "the peer asks and does not read the answers: unread=" + unsent + ", allowed " + Asking.WINDOW);
        }
        LocalRegion region = endpoint.host().acquireRegion(request.region());
        Note answer;
        try {
            answer = region == null ? gone() : serve(request, region.segment(), region);
        } finally {
            if (region != null) {
                region.release();
            }
        }
        unsent++;
        endpoint.send(answer, Note.ANSWER);
        if (region != null && request.action() == Note.PUT && request.hasSignal()) {
            // Other threads of the process that learn of the signal must find the data.
            VarHandle.releaseFence();
            endpoint.host().signalled(request.operand());
        }
    }

    /** An answer has left, or never will. */
    void sent() {
        unsent--;
    }

    private Note gone() {
        Note answer = endpoint.note();
        answer.answer(Note.GONE, 0);
        return answer;
    }

    private Note serve(Note request, MemorySegment memory, LocalRegion region) {
        long offset = request.offset();
        long bytes = request.bytes();
        return switch (request.action()) {
            case Note.PUT -> {
                check("put", region, AccessRight.WRITE, offset, bytes, request.dataLength());
                request.copyData(memory, offset, bytes);
                yield done(0);
            }
            case Note.GET -> {
                check("get", region, AccessRight.READ, offset, bytes, Note.DATA_MAX);
                Note answer = done(0);
                answer.data(memory, offset, bytes);
                yield answer;
            }
            case Note.ATOMIC -> {
                check("atomic", region, AccessRight.ATOMIC, offset, Long.BYTES, Long.BYTES);
                if ((offset & (Long.BYTES - 1)) != 0) {
                    throw violation("atomic is not aligned: offset=" + offset + ", allowed multiples of 8 bytes");
                }
                yield done(
                        Arithmetic.apply(request.arithmetic(), memory, offset, request.operand(), request.compare()));
            }
            default -> throw violation("unknown request: action=" + request.action() + ", allowed 1 to 3");
        };
    }

    private Note done(long value) {
        Note answer = endpoint.note();
        answer.answer(Note.DONE, value);
        return answer;
    }

    private void check(String what, LocalRegion region, AccessRight right, long offset, long bytes, long bytesMax) {
        long size = region.segment().byteSize();
        if (!region.allows(right)) {
            throw violation(what + " on a region without " + right);
        }
        if (bytes < 0 || bytes > bytesMax) {
            throw violation(what + " of a wrong length: length=" + bytes + ", allowed 0 to " + bytesMax + " bytes");
        }
        if (offset < 0 || offset > size - bytes) {
            throw violation(what + " exceeds memory region: offset=" + offset + ", length=" + bytes + ", regionLength="
                    + size + " bytes");
        }
    }

    private FairleadException violation(@Nullable String message) {
        return new FairleadException(
                Reason.PROTOCOL_VIOLATION,
                message + ", endpoint=" + endpoint.host().label());
    }
}
