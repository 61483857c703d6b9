package io.fairlead.internal.liveness;

import java.util.function.Consumer;

/** The host at the other end of one connection, while its peer is idle. */
public final class WatchedHost implements AutoCloseable {
    private final String key;
    private final Consumer<WatchedHost> ending;
    private volatile HostAnswer answer = HostAnswer.UNKNOWN;
    private volatile boolean asked;

    WatchedHost(String key, Consumer<WatchedHost> ending) {
        this.key = key;
        this.ending = ending;
    }

    String key() {
        return key;
    }

    void update(HostAnswer latest) {
        answer = latest;
        asked = true;
    }

    /** Whether the system was queried since the watch began. */
    public boolean isAsked() {
        return asked;
    }

    /** The last result. */
    public HostAnswer answer() {
        return answer;
    }

    /** Ends the watch. Idempotent. */
    @Override
    public void close() {
        ending.accept(this);
    }
}
