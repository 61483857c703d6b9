package io.fairlead.pubsub.internal;

import java.util.ArrayDeque;

/**
 * Whether a subscriber's delivery is stopped, and the events that wait meanwhile. A handler may stop the delivery in the middle of a progress,
 * while earlier events still wait. Belongs to the worker's thread.
 */
final class DeliveryPause {
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean paused;

    void pause() {
        paused = true;
    }

    void resume() {
        paused = false;
    }

    boolean isPaused() {
        return paused;
    }

    /** Runs an event, which must not throw, now or after the pause. */
    void tell(Runnable event) {
        if (paused || !waiting.isEmpty()) {
            waiting.add(event);
        } else {
            event.run();
        }
    }

    /** Runs the events that waited, until one of them stops the delivery again. Returns how many ran. */
    int tellWaiting() {
        int told = 0;
        while (!paused && !waiting.isEmpty()) {
            waiting.remove().run();
            told++;
        }
        return told;
    }
}
