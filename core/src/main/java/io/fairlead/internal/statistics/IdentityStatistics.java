package io.fairlead.internal.statistics;

import io.fairlead.PeerIdentity;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.Statistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The counts of a context's endpoints, by the identities of their peers. Identities have separate counts in the order
 * of their first connections, up to the limit. The others share theirs, so peers cannot make the counts grow without
 * limit. Thread-safe. The lock is taken by readers and when an endpoint connects or ends, never when an operation is
 * counted.
 */
final class IdentityStatistics {
    private static final String ANONYMOUS = PeerIdentity.ANONYMOUS.toString();

    private final int max;
    private final IdentityFigures others = new IdentityFigures();
    /** The predefined names first, then the others in order of arrival. */
    private final Map<String, IdentityFigures> byName = new LinkedHashMap<>();

    /** Without peers; {@code max} identities may have separate counts, beside those without an identity. */
    IdentityStatistics(int max) {
        this.max = max;
        byName.put(ANONYMOUS, new IdentityFigures());
        byName.put(Statistics.OTHER_IDENTITIES, others);
    }

    /**
     * An endpoint is connected; returns its counts. Any object may represent its worker, the same for all of the
     * worker's endpoints.
     */
    synchronized IdentityFigures connect(PeerIdentity peer, CounterSet set, Object worker) {
        IdentityFigures figures = figures(peer);
        figures.connect(set, worker);
        return figures;
    }

    private IdentityFigures figures(PeerIdentity peer) {
        String name = peer.toString();
        IdentityFigures known = byName.get(name);
        if (known != null) {
            // A certificate may say that its holder is anonymous.
            return name.equals(ANONYMOUS) && !peer.equals(PeerIdentity.ANONYMOUS) ? others : known;
        }
        if (byName.size() - 2 >= max) {
            return others;
        }
        IdentityFigures added = new IdentityFigures();
        byName.put(name, added);
        return added;
    }

    /** An endpoint is no longer connected. */
    synchronized void leave(IdentityFigures figures) {
        figures.leave();
    }

    /** The counts of an endpoint's set are final. */
    synchronized void end(IdentityFigures figures, CounterSet set) {
        figures.end(set);
    }

    /** The counts of a worker are final. */
    synchronized void close(Object worker) {
        byName.values().forEach(figures -> figures.endAll(worker));
    }

    synchronized List<String> names() {
        return List.copyOf(byName.keySet());
    }

    synchronized long value(Counter counter, String name) {
        return known(name).figure(counter);
    }

    synchronized long connected(String name) {
        return known(name).connected();
    }

    private IdentityFigures known(String name) {
        IdentityFigures figures = byName.get(name);
        if (figures == null) {
            throw new IllegalArgumentException("unknown identity: identity=" + name + ", known=" + byName.keySet());
        }
        return figures;
    }
}
