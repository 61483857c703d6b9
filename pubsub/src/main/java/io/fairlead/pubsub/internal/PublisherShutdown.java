package io.fairlead.pubsub.internal;

import java.util.concurrent.TimeUnit;

/** The close of a publisher, from one phase to the next, in turns of its worker's progress. */
final class PublisherShutdown {
    /** The time limit for sending the end to subscribers, regardless of the drain's duration. */
    private static final long LAST_WORD_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private enum Phase {
        /** Messages are published, and subscribers may join. */
        OPEN,
        /** What was published is sent. */
        DRAINING,
        /** Subscribers are sent the end. */
        ENDING,
        /** The subscribers' endpoints close. */
        CLOSING,
        /** Nothing is left. */
        CLOSED
    }

    /** What the publisher does in each phase, and how far it is. */
    interface Steps {
        /** Whether all that was published has been sent, or no subscriber is left. */
        boolean isDrained();

        /** Whether every subscriber was sent the end, or none is left. */
        boolean isSilent();

        /** Ends the streams of all subscribers. */
        void endStreams();

        /** Begins to close the subscribers' endpoints, and answers how long they may take by themselves, in nanoseconds. */
        long closeEndpoints();

        boolean hasEndpoints();

        void abortEndpoints();

        /** Lets go of the rest. */
        void finish();
    }

    private final Steps steps;
    private Phase phase = Phase.OPEN;
    /** When the phase ends at the latest. */
    private long deadlineNs;

    PublisherShutdown(Steps steps) {
        this.steps = steps;
    }

    boolean isBegun() {
        return phase != Phase.OPEN;
    }

    boolean isClosed() {
        return phase == Phase.CLOSED;
    }

    void begin(long drainNs) {
        deadlineNs = System.nanoTime() + drainNs;
        phase = Phase.DRAINING;
    }

    /** Goes on as far as it goes now; answers how many things were done. */
    int advance() {
        Phase before = phase;
        if (phase == Phase.DRAINING && (steps.isDrained() || isPhaseOver())) {
            steps.endStreams();
            deadlineNs = Math.max(deadlineNs, System.nanoTime() + LAST_WORD_NS);
            phase = Phase.ENDING;
        }
        if (phase == Phase.ENDING && (steps.isSilent() || isPhaseOver())) {
            deadlineNs = steps.closeEndpoints() + System.nanoTime();
            phase = Phase.CLOSING;
        }
        if (phase == Phase.CLOSING) {
            if (steps.hasEndpoints() && isPhaseOver()) {
                steps.abortEndpoints();
            }
            if (!steps.hasEndpoints()) {
                finish();
            }
        }
        return phase == before ? 0 : 1;
    }

    private boolean isPhaseOver() {
        return System.nanoTime() - deadlineNs >= 0;
    }

    /** Ends here, whatever the phase: the worker has closed. */
    void finish() {
        phase = Phase.CLOSED;
        steps.finish();
    }
}
