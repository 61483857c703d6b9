package io.fairlead.internal.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The live endpoints of a worker and their numbers. A number is reused only after all others, so late traffic of an
 * ended endpoint finds no endpoint.
 */
final class EndpointTable {
    private final int limit;
    private final List<EndpointLifecycle> live = new ArrayList<>();
    private @Nullable EndpointLifecycle[] byId = new @Nullable EndpointLifecycle[16];
    private int lastId;

    EndpointTable(int limit) {
        this.limit = limit;
    }

    /** Whether the limit of endpoints is reached. */
    boolean isFull() {
        return live.size() >= limit;
    }

    /** A free number from 1 to 65535, or 0 if the limit of endpoints is reached. */
    int freeId() {
        if (isFull()) {
            return 0;
        }
        int candidate = lastId;
        do {
            candidate = candidate % 0xFFFF + 1;
        } while (candidate < byId.length && byId[candidate] != null);
        lastId = candidate;
        return candidate;
    }

    void add(EndpointLifecycle endpoint) {
        if (endpoint.id() >= byId.length) {
            byId = Arrays.copyOf(byId, Integer.highestOneBit(endpoint.id()) * 2);
        }
        byId[endpoint.id()] = endpoint;
        live.add(endpoint);
    }

    /** False if it was removed before. */
    boolean remove(EndpointLifecycle endpoint) {
        if (!live.remove(endpoint)) {
            return false;
        }
        byId[endpoint.id()] = null;
        return true;
    }

    List<EndpointLifecycle> live() {
        return live;
    }
}
