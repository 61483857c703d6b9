package io.fairlead.transport.tcp;

import java.lang.foreign.MemorySegment;

/**
 * Short answers to the peer's messages. Answers that find the queue full wait here, bounded by the peer's maximum of
 * outstanding requests.
 */
final class Answers {
    private final TcpEndpointOwner endpoint;
    private final SendQueue queue;
    /** First word, id and the other words of the frame. */
    private final LongRing waiting = new LongRing(2 * TcpFrame.ASKED_MAX);

    Answers(TcpEndpointOwner endpoint, SendQueue queue) {
        this.endpoint = endpoint;
        this.queue = queue;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
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
        if (!waiting.isEmpty() || !encode(first, id, third, fourth)) {
            if (!waiting.add(first, id, third, fourth)) {
                throw TcpFrame.violation(
                        TcpFrame.name(type), "unread answers", waiting.size(), "fewer than " + 2 * TcpFrame.ASKED_MAX);
            }
        }
        endpoint.markDirty();
    }

    /** Queues the waiting answers, as far as the queue has capacity. */
    void drain() {
        while (!waiting.isEmpty() && encode(waiting.field(0), waiting.field(1), waiting.field(2), waiting.field(3))) {
            waiting.remove();
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
        waiting.clear();
    }
}
