package io.fairlead.internal.engine;

import java.util.Arrays;

/** Signals that have arrived and whose handlers have not been called, in the order of their arrival. */
final class SignalQueue {
    /** The endpoint that a signal is for. */
    interface Receiver {
        /** Calls the handler for a signal. */
        void deliverSignal(long value);
    }

    private final TurnWork work;
    private Receiver[] endpoints = new Receiver[16];
    private long[] values = new long[16];
    private int size;

    /** Creates an empty queue; {@code work} is notified of signals. */
    SignalQueue(TurnWork work) {
        this.work = work;
    }

    void add(Receiver endpoint, long value) {
        if (size == values.length) {
            endpoints = Arrays.copyOf(endpoints, size * 2);
            values = Arrays.copyOf(values, size * 2);
        }
        endpoints[size] = endpoint;
        values[size++] = value;
        work.calls++;
    }

    int drain() {
        int count = size;
        if (count == 0) {
            return 0;
        }
        work.calls -= count;
        for (int i = 0; i < count; i++) {
            endpoints[i].deliverSignal(values[i]);
        }
        // Handlers make no progress, so signals are added meanwhile only by a transport that signals inside a post.
        int added = size - count;
        System.arraycopy(endpoints, count, endpoints, 0, added);
        System.arraycopy(values, count, values, 0, added);
        Arrays.fill(endpoints, added, size, null);
        size = added;
        return count;
    }
}
