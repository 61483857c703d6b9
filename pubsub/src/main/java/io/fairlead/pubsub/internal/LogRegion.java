package io.fairlead.pubsub.internal;

/** Memory of a topic's log, cut into batches, which subscribers of the same host read where they are. It closes with its last batch. */
final class LogRegion {
    private final TopicRegion memory;
    private int batches;
    private boolean abandoned;
    private boolean closed;

    /**
     * Wraps memory.
     *
     * @param batches into how many the log cuts it
     */
    LogRegion(TopicRegion memory, int batches) {
        this.memory = memory;
        this.batches = batches;
    }

    TopicRegion memory() {
        return memory;
    }

    /** A subscriber has gone that may still be reading: nothing here is written again. */
    void abandon() {
        abandoned = true;
    }

    boolean isAbandoned() {
        return abandoned;
    }

    boolean isClosed() {
        return closed;
    }

    /** The log needs one of its batches no more. What subscribers have mapped they keep. */
    void giveBack() {
        batches--;
        if (batches == 0) {
            closed = true;
            memory.close();
        }
    }
}
