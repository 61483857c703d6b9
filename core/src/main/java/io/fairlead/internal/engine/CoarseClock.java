package io.fairlead.internal.engine;

/** A worker's clock, which costs nothing to ask: the time as of the last reading. */
final class CoarseClock {
    private long nowNs = System.nanoTime();

    long nowNs() {
        return nowNs;
    }

    void read() {
        nowNs = System.nanoTime();
    }
}
