package io.fairlead.internal.statistics;

import io.fairlead.PeerIdentity;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.Statistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a context's endpoints count, by the identities of their peers. The identities that connect first have figures of their own, as many as are allowed; the
 * rest share theirs, so that no peer makes a context count without end. Thread-safe. The lock is taken when an endpoint connects or ends and by readers, and never where an
 * operation is counted.
 */
final class IdentityStatistics {
    private static final String ANONYMOUS = PeerIdentity.ANONYMOUS.toString();

    private final int max;
    private final IdentityFigures others = new IdentityFigures();
    /** Those that are always there first, then the others as they came. */
    private final Map<String, IdentityFigures> byName = new LinkedHashMap<>();

    /** Without any peer; {@code max} of them may have figures of their own, beside those that showed no identity. */
    IdentityStatistics(int max) {
        this.max = max;
        byName.put(ANONYMOUS, new IdentityFigures());
        byName.put(Statistics.OTHER_IDENTITIES, others);
    }

    /** An endpoint is connected; under which figures it is counted. Any object may stand for its worker, the same for all of the worker's endpoints. */
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

    /** An endpoint is connected no longer. */
    synchronized void leave(IdentityFigures figures) {
        figures.leave();
    }

    /** Nothing will be counted in the set of an endpoint any more. */
    synchronized void end(IdentityFigures figures, CounterSet set) {
        figures.end(set);
    }

    /** Nothing will be counted on a worker any more. */
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
