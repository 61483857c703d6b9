package io.fairlead.benchmarks.contest;

/** What a thread does that waits for a message. */
public enum Idle {
    /** It looks again at once. */
    SPIN,
    /** It sleeps, by the means that its library has. */
    BLOCK
}
