package io.fairlead.benchmarks.contest;

/** What a thread does that waits for a message. */
public enum Idle {
    /** It looks again at once. */
    SPIN("busy-spin"),
    /** It sleeps, by the means that its library has. */
    BLOCK("blocking"),
    /** It looks again for a while and then sleeps, as Fairlead's do by default. */
    BACK_OFF("backoff");

    private final String strategy;

    Idle(String strategy) {
        this.strategy = strategy;
    }

    /** Its name among Fairlead's strategies. */
    String strategy() {
        return strategy;
    }
}
