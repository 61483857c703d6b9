package io.fairlead.node.internal.request;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A map of values by their tags. Any thread reads it, and a lookup allocates nothing; each change replaces the whole, so changes must be rare. */
final class TagMap<V extends TagMap.Tagged> {
    /** A value that has a tag, which never changes. */
    interface Tagged {
        long tag();
    }

    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    /** Replaced as a whole. Its length is a power of two, and at least twice the number of values. */
    private volatile @Nullable Tagged[] slots = new Tagged[2];

    /** The value with a tag; null if there is none. */
    @SuppressWarnings("unchecked") // Only values of V are put in.
    @Nullable V get(long tag) {
        @Nullable Tagged[] now = slots;
        int index = slot(tag, now.length);
        for (Tagged value = now[index]; value != null; value = now[index]) {
            if (value.tag() == tag) {
                return (V) value;
            }
            index = (index + 1) & (now.length - 1);
        }
        return null;
    }

    private static int slot(long tag, int length) {
        return (int) ((tag * SPREAD) >>> 32) & (length - 1);
    }

    /** Adds a value unless one has its tag; returns the present one, or null. */
    synchronized @Nullable V putIfAbsent(V value) {
        V present = get(value.tag());
        if (present == null) {
            List<V> all = values();
            all.add(value);
            replace(all);
        }
        return present;
    }

    synchronized void remove(V value) {
        List<V> all = values();
        if (all.remove(value)) {
            replace(all);
        }
    }

    @SuppressWarnings("unchecked") // Only values of V are put in.
    private List<V> values() {
        List<V> all = new ArrayList<>();
        for (Tagged value : slots) {
            if (value != null) {
                all.add((V) value);
            }
        }
        return all;
    }

    private void replace(List<V> all) {
        int length = Math.max(2, Integer.highestOneBit(Math.max(1, all.size())) << 2);
        @Nullable Tagged[] replaced = new Tagged[length];
        for (V value : all) {
            int index = slot(value.tag(), length);
            while (replaced[index] != null) {
                index = (index + 1) & (length - 1);
            }
            replaced[index] = value;
        }
        slots = replaced;
    }
}
