package io.fairlead.internal.engine;

/**
 * A cached {@link System#nanoTime()}. The worker refreshes it in idle turns and every few busy ones. Belongs to its
 * thread.
 */
final class CoarseClock {
    private long nowNs = System.nanoTime();

    long nowNs() {
        return nowNs;
    }

    void refresh() {
        nowNs = System.nanoTime();
    }
}
