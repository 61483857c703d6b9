package io.fairlead.spring;

import io.fairlead.FairleadException;
import io.fairlead.node.Node;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.spi.CloseSteps;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The sets of peers that {@code fairlead.spring.sets} names. They are open from the start, also while their services cannot be found yet; a request waits
 * for a member then, as {@link PeerSet#request} says. Thread-safe.
 */
public final class FairleadSets implements AutoCloseable {
    private final Map<String, PeerSet> sets = new LinkedHashMap<>();

    /**
     * Opens the sets.
     *
     * @throws FairleadException if a set has a scheme without a resolver
     */
    FairleadSets(Node node, Map<String, String> services, PeerSetOptions options) {
        boolean opened = false;
        try {
            services.forEach((name, service) ->
                    sets.put(name, Futures.join(node.peers(Addresses.service(service), options.openingAtOnce()))));
            opened = true;
        } finally {
            if (!opened) {
                close();
            }
        }
    }

    /**
     * The names.
     *
     * @return in the order of the property; immutable
     */
    public Set<String> names() {
        return Collections.unmodifiableSet(sets.keySet());
    }

    /**
     * A set.
     *
     * @param name one of {@link #names()}
     * @return open until the application ends
     * @throws FairleadException {@code CONFIGURATION} if the property has no such name
     */
    public PeerSet set(String name) {
        PeerSet set = sets.get(name);
        if (set == null) {
            throw new FairleadException(
                    FairleadException.Reason.CONFIGURATION,
                    "no such set of peers: name=" + name + ", fairlead.spring.sets has " + sets.keySet()
                            + "; add it to the property");
        }
        return set;
    }

    /** Closes the sets. Idempotent. */
    @Override
    public void close() {
        CloseSteps.runEach(sets.values(), PeerSet::close);
    }
}
