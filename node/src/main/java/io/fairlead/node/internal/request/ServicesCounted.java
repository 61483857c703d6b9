package io.fairlead.node.internal.request;

import io.fairlead.node.RequestStatistics;
import io.fairlead.node.ServiceStatistics.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The figures of one side's services by their tags. A lookup allocates nothing; the first {@value RequestStatistics#SERVICES_MAX} are counted apart. Thread-safe. */
final class ServicesCounted {
    private final Side side;
    private final ServiceFigures others;
    private final TagMap<ServiceFigures> figures = new TagMap<>();
    private final Map<Long, String> names = new ConcurrentHashMap<>();
    /** The same in the order of their first requests. */
    private final List<ServiceFigures> all = new ArrayList<>();

    private volatile boolean full;

    ServicesCounted(Side side) {
        this.side = side;
        this.others = new ServiceFigures(-1, "other", side);
    }

    /** The figures of a service that is known by its tag. */
    ServiceFigures of(long tag) {
        ServiceFigures known = figures.get(tag);
        if (known != null) {
            return known;
        }
        return full ? others : add(tag, names.getOrDefault(tag, ""));
    }

    /** The name of a service that is counted from its first request on. */
    synchronized void name(long tag, String name) {
        if (names.size() < RequestStatistics.NAMES_MAX || names.containsKey(tag)) {
            names.put(tag, name);
        }
    }

    /** The figures of a service; without a name it is called by its tag. */
    synchronized ServiceFigures add(long tag, String name) {
        ServiceFigures known = figures.get(tag);
        if (known != null) {
            // Another service with this tag goes on counting under the first one's name.
            return known;
        }
        if (all.size() >= RequestStatistics.SERVICES_MAX) {
            full = true;
            return others;
        }
        ServiceFigures added = new ServiceFigures(tag, name.isEmpty() ? Long.toString(tag) : name, side);
        all.add(added);
        ServiceFigures _ = figures.putIfAbsent(added);
        return added;
    }

    /** All that there are, and the rest where there is one. */
    synchronized List<ServiceFigures> all() {
        List<ServiceFigures> list = new ArrayList<>(all);
        if (full) {
            list.add(others);
        }
        return list;
    }
}
