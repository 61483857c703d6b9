package io.fairlead.transport.tcp;

/** A queue of records of four numbers. It grows to its limit and allocates nothing otherwise. */
final class LongRing {
    private static final int FIELDS = 4;

    private final int limit;
    private long[] values = {};
    private int head;
    private int size;

    LongRing(int limit) {
        this.limit = limit;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Appends a record; false if the ring is at its limit. */
    boolean add(long first, long second, long third, long fourth) {
        if (size * FIELDS == values.length) {
            if (size == limit) {
                return false;
            }
            grow();
        }
        int at = index(size);
        values[at] = first;
        values[at + 1] = second;
        values[at + 2] = third;
        values[at + 3] = fourth;
        size++;
        return true;
    }

    /** A number of the oldest record. */
    long field(int field) {
        return values[head + field];
    }

    void remove() {
        head = index(1);
        size--;
    }

    void clear() {
        size = 0;
    }

    private int index(int record) {
        int at = head + record * FIELDS;
        return at < values.length ? at : at - values.length;
    }

    private void grow() {
        int records = Math.min(limit, Math.max(8, size * 2));
        long[] larger = new long[records * FIELDS];
        for (int i = 0; i < size; i++) {
            System.arraycopy(values, index(i), larger, i * FIELDS, FIELDS);
        }
        values = larger;
        head = 0;
    }
}
