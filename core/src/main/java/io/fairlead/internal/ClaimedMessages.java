package io.fairlead.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Messages that the application has claimed and not yet received. Few at a time. */
final class ClaimedMessages {
    private final List<CoreArrival> arrivals = new ArrayList<>();

    void add(CoreArrival arrival) {
        arrivals.add(arrival);
    }

    void remove(CoreArrival arrival) {
        arrivals.remove(arrival);
    }

    /** The data of these will never come: their endpoint has ended. */
    void lose(CoreEndpoint endpoint) {
        for (CoreArrival arrival : arrivals) {
            if (arrival.endpoint == endpoint && !arrival.whole) {
                arrival.dead = true;
            }
        }
    }

    void discardAll() {
        for (CoreArrival arrival : arrivals) {
            if (!arrival.dead) {
                Objects.requireNonNull(arrival.endpoint, "endpoint").life().discard(arrival);
            }
        }
        arrivals.clear();
    }
}
