package io.fairlead.spring;

/** How one listener runs: what its annotation and the application's properties say. */
record ListenerSettings(String topic, String address, int concurrency, int queueMax, Threads threads, long stopMs) {
    /** The kind of a listener's threads. */
    enum Threads {
        PLATFORM,
        VIRTUAL
    }
}
