package io.fairlead.node.internal.request;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The services of a node by their tags. Each request reads it, so a lookup allocates nothing. Changes are rare. */
final class ServiceTable {
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    /** Replaced as a whole. Its length is a power of two, and at least twice the number of services. */
    private volatile @Nullable NodeService[] slots = new NodeService[2];

    /** The service with a tag; null if there is none. */
    @Nullable NodeService find(long tag) {
        @Nullable NodeService[] now = slots;
        int index = slot(tag, now.length);
        for (NodeService service = now[index]; service != null; service = now[index]) {
            if (service.tag() == tag) {
                return service;
            }
            index = (index + 1) & (now.length - 1);
        }
        return null;
    }

    private static int slot(long tag, int length) {
        return (int) ((tag * SPREAD) >>> 32) & (length - 1);
    }

    synchronized void add(NodeService service) {
        NodeService present = find(service.tag());
        if (present != null) {
            throw new IllegalStateException(
                    "tag is served already: tag=" + service.tag() + "; close the other service first");
        }
        List<NodeService> all = all();
        all.add(service);
        replace(all);
    }

    synchronized void remove(NodeService service) {
        List<NodeService> all = all();
        if (all.remove(service)) {
            replace(all);
        }
    }

    private List<NodeService> all() {
        List<NodeService> all = new ArrayList<>();
        for (NodeService service : slots) {
            if (service != null) {
                all.add(service);
            }
        }
        return all;
    }

    private void replace(List<NodeService> all) {
        int length = Math.max(2, Integer.highestOneBit(Math.max(1, all.size())) << 2);
        @Nullable NodeService[] replaced = new NodeService[length];
        for (NodeService service : all) {
            int index = slot(service.tag(), length);
            while (replaced[index] != null) {
                index = (index + 1) & (length - 1);
            }
            replaced[index] = service;
        }
        slots = replaced;
    }
}
