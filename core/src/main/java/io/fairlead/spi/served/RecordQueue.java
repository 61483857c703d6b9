package io.fairlead.spi.served;

import java.util.function.Supplier;

/** A queue of reusable records. It grows to the maximum size that was needed and then allocates nothing. */
final class RecordQueue<T> {
    private final Supplier<T> maker;
    private Object[] records = {};
    private int head;
    private int size;

    RecordQueue(Supplier<T> maker) {
        this.maker = maker;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Appends a record, which still has the values of its last use. */
    T add() {
        if (size == records.length) {
            grow();
        }
        return at(size++);
    }

    /** The oldest record; there must be one. */
    T oldest() {
        return at(0);
    }

    /** Removes and returns the oldest record, which keeps its values until the next {@link #add}. */
    T remove() {
        T record = at(0);
        head = (head + 1) & (records.length - 1);
        size--;
        return record;
    }

    @SuppressWarnings("unchecked") // It contains only records of the factory.
    private T at(int place) {
        return (T) records[(head + place) & (records.length - 1)];
    }

    private void grow() {
        Object[] larger = new Object[Math.max(4, records.length * 2)];
        for (int i = 0; i < larger.length; i++) {
            larger[i] = i < size ? at(i) : maker.get();
        }
        records = larger;
        head = 0;
    }
}
