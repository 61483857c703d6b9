package io.fairlead.internal.engine;

/** The time of {@link System#nanoTime()} as of the last refresh, which a worker makes in idle turns and every few busy ones. Of its thread. */
final class CoarseClock {
    private long nowNs = System.nanoTime();

    long nowNs() {
        return nowNs;
    }

    void refresh() {
        nowNs = System.nanoTime();
    }
}
