package io.fairlead.transport.ucx;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** The pool of one worker's transport messages. */
final class MessagePool {
    private final Arena arena;
    private final List<TransportMessage> free = new ArrayList<>();

    MessagePool(Arena arena) {
        this.arena = arena;
    }

    TransportMessage take() {
        return free.isEmpty() ? new TransportMessage(arena) : free.removeLast();
    }

    void giveBack(TransportMessage message) {
        free.add(message);
    }
}
