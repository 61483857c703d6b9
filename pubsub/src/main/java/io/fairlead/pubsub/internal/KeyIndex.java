package io.fairlead.pubsub.internal;

import java.util.Arrays;

/**
 * Assigns slots to a bounded number of keys. If none is free it takes the slot of the least recently used key.
 * Allocates nothing after construction.
 */
final class KeyIndex {
    private static final int NONE = -1;

    private final int capacity;
    /** Hash table with linear probing: slots, or NONE. At most half full, so that probes stay short. */
    private final int[] slots;

    private final int mask;
    private final long[] keys;
    /** A doubly linked list of slots in the order of their use. */
    private final int[] older;

    private final int[] newer;
    private int oldest = NONE;
    private int newest = NONE;
    private int size;

    KeyIndex(int capacity) {
        this.capacity = capacity;
        int slotCount = Integer.highestOneBit(Math.max(capacity * 2 - 1, 1)) << 1;
        slots = new int[slotCount];
        Arrays.fill(slots, NONE);
        mask = slotCount - 1;
        keys = new long[capacity];
        older = new int[capacity];
        newer = new int[capacity];
    }

    int size() {
        return size;
    }

    /** The key's slot, assigned now if it had none. The key becomes the most recently used one. */
    int place(long key) {
        int slot = find(key);
        int place = slots[slot];
        if (place != NONE) {
            unlink(place);
        } else if (size < capacity) {
            place = size++;
            slots[slot] = place;
        } else {
            place = oldest;
            unlink(place);
            remove(find(keys[place]));
            // The removal may have moved what was probed before.
            slots[find(key)] = place;
        }
        keys[place] = key;
        append(place);
        return place;
    }

    /** The slot of a key, or the empty one where it belongs. */
    private int find(long key) {
        int slot = home(key);
        while (slots[slot] != NONE && keys[slots[slot]] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private int home(long key) {
        long mixed = (key ^ key >>> 32) * 0x9E37_79B9_7F4A_7C15L;
        return (int) (mixed >>> 32) & mask;
    }

    /** Empties a slot and moves later ones of the same run up, so that no probe stops short of its key. */
    private void remove(int removed) {
        int hole = removed;
        int slot = hole;
        while (true) {
            slot = (slot + 1) & mask;
            if (slots[slot] == NONE) {
                break;
            }
            int home = home(keys[slots[slot]]);
            if (((slot - home) & mask) >= ((slot - hole) & mask)) {
                slots[hole] = slots[slot];
                hole = slot;
            }
        }
        slots[hole] = NONE;
    }

    private void unlink(int place) {
        int before = older[place];
        int after = newer[place];
        if (before == NONE) {
            oldest = after;
        } else {
            newer[before] = after;
        }
        if (after == NONE) {
            newest = before;
        } else {
            older[after] = before;
        }
    }

    private void append(int place) {
        older[place] = newest;
        newer[place] = NONE;
        if (newest == NONE) {
            oldest = place;
        } else {
            newer[newest] = place;
        }
        newest = place;
    }
}
