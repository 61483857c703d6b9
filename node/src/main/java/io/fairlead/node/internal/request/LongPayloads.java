package io.fairlead.node.internal.request;

import io.fairlead.ActiveMessage;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Receives the payloads that are at their sender. A payload for which the worker has no operation waits here. Its message holds its credits,
 * which bounds their number. Belongs to the loop's thread.
 */
final class LongPayloads {
    /** A payload on its way. It completes, or is lost. */
    interface Payload extends Completion {
        /** The connection has ended before the payload was asked for. */
        void lost();
    }

    private record Waiting(ActiveMessage message, MemorySegment buffer, Payload payload) {}

    private final Deque<Waiting> waiting = new ArrayDeque<>();

    /** Receives a payload inside of its handler's call; false if it has to wait. */
    boolean tryReceive(ActiveMessage message, MemorySegment buffer, Payload payload) {
        if (waiting.isEmpty() && isDone(message, buffer, payload)) {
            return true;
        }
        message.keep();
        waiting.add(new Waiting(message, buffer, payload));
        return false;
    }

    private static boolean isDone(ActiveMessage message, MemorySegment buffer, Payload payload) {
        long posted = message.receive(buffer, payload);
        if (posted == Endpoint.BACK_PRESSURE) {
            return false;
        }
        if (posted < 0) {
            payload.lost();
        }
        return true;
    }

    /** Receives what waits; true if nothing is left. */
    boolean retry() {
        while (!waiting.isEmpty()) {
            Waiting next = waiting.element();
            if (!isDone(next.message, next.buffer, next.payload)) {
                return false;
            }
            waiting.remove();
            next.message.release();
        }
        return true;
    }

    /** The connection has ended: what waits is lost. */
    void disconnected() {
        for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
            next.message.release();
            next.payload.lost();
        }
    }
}
