package io.fairlead.metrics;

import io.fairlead.Context;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What {@code /health} and {@code /ready} report about a context. Thread-safe. */
final class ContextHealth {
    private ContextHealth() {}

    /** A problem if a worker makes no progress for longer than {@code liveness.timeout}: its operations do not complete then. */
    static Optional<String> stall(Context context) {
        long stallNs = context.statistics().value(Counter.PROGRESS_STALL_NS);
        Duration limit = context.config().value(ConfigKeys.LIVENESS_TIMEOUT);
        return stallNs <= limit.toNanos()
                ? Optional.empty()
                : Optional.of("progress stands still: for=" + TimeUnit.NANOSECONDS.toMillis(stallNs)
                        + " ms, liveness.timeout=" + limit.toMillis() + " ms");
    }

    /** Why nobody is to send work. */
    static Optional<String> unreadiness(Context context) {
        return context.statistics().value(Counter.WORKERS) > 0 ? Optional.empty() : Optional.of("no worker is open");
    }
}
