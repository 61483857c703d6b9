package io.fairlead.transport.tcp;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Short answers to the peer's messages. Answers that find the queue full wait here, bounded by the peer's maximum of
 * outstanding requests.
 */
final class Answers {
    private final TcpEndpointOwner endpoint;
    private final SendQueue queue;
    /** First word, id and the other words of the frame; null before the first answer that found the queue full. */
    private @Nullable LongRing waiting;

    Answers(TcpEndpointOwner endpoint, SendQueue queue) {
        this.endpoint = endpoint;
        this.queue = queue;
    }

    boolean isEmpty() {
        return waiting == null || waiting.isEmpty();
    }

    private LongRing waiting() {
        LongRing known = waiting;
        if (known == null) {
            known = new LongRing(2 * TcpFrame.ASKED_MAX);
            waiting = known;
        }
        return known;
    }

    /**
     * Queues a frame without a payload.
     *
     * @param type its type
     * @param id the id of the request
     * @param third the third word, if the type has one
     * @param fourth the fourth word, if the type has one
     */
    void answer(int type, long id, long third, long fourth) {
        long first = TcpFrame.first(type, 0);
        if (!isEmpty() || !encode(first, id, third, fourth)) {
            LongRing open = waiting();
            if (!open.add(first, id, third, fourth)) {
                throw TcpFrame.violation(
                        TcpFrame.name(type), "unread answers", open.size(), "fewer than " + 2 * TcpFrame.ASKED_MAX);
            }
        }
        endpoint.markDirty();
    }

    /** Queues the waiting answers, as far as the queue has capacity. */
    void drain() {
        LongRing open = waiting;
        while (open != null && !open.isEmpty() && encode(open.field(0), open.field(1), open.field(2), open.field(3))) {
            open.remove();
        }
    }

    private boolean encode(long first, long id, long third, long fourth) {
        int length = TcpFrame.header(TcpFrame.type(first));
        int at = queue.reserveAnswer(length);
        if (at < 0) {
            return false;
        }
        MemorySegment segment = queue.segment();
        TcpFrame.word(segment, at, first);
        TcpFrame.word(segment, at + 8, id);
        if (length > 16) {
            TcpFrame.word(segment, at + 16, third);
        }
        if (length > 24) {
            TcpFrame.word(segment, at + 24, fourth);
        }
        return true;
    }

    void close() {
        if (waiting != null) {
            waiting.clear();
        }
    }
}
