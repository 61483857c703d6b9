package io.fairlead.node.internal.request;

import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.loop.Timers;
import org.jspecify.annotations.Nullable;

/**
 * Watches the deadlines of one peer's requests. One timer is due at the earliest deadline that there was; when it is, everything is looked through. So a
 * request costs a comparison, and most end before anybody looks. Belongs to the loop's thread.
 */
final class RequestDeadlines {
    /** Between two looks. */
    private static final long LOOK_NS = 1_000_000;

    private final ProgressLoop loop;
    private final PeerRequests requests;
    private Timers.@Nullable Timer timer;
    private long dueNs;

    RequestDeadlines(ProgressLoop loop, PeerRequests requests) {
        this.loop = loop;
        this.requests = requests;
    }

    /** Has a look taken when a deadline is due. */
    void watch(long deadlineNs) {
        if (timer == null || deadlineNs - dueNs < 0) {
            stop();
            dueNs = deadlineNs;
            timer = loop.timers()
                    .after(Math.max(LOOK_NS, deadlineNs - System.nanoTime()), this::look, requests::failThrown);
        }
    }

    private void look() {
        timer = null;
        long nowNs = System.nanoTime();
        long nextNs = requests.expire(nowNs);
        if (nextNs != Long.MAX_VALUE) {
            watch(nowNs + nextNs);
        }
    }

    void stop() {
        if (timer != null) {
            loop.timers().remove(timer);
            timer = null;
        }
    }
}
