package io.fairlead.internal.engine;

/** Ended operations whose completions have not run, in the order in which they ended. */
final class CompletionQueue {
    private final OperationPool pool;
    /**
     * The pool's indices of the operations: storing references would cost the garbage collector's write barrier. A
     * power of two.
     */
    private int[] ring = new int[64];

    private int head;
    /** Their number. */
    int size;

    CompletionQueue(OperationPool pool) {
        this.pool = pool;
    }

    /**
     * Appends an operation. The queue grows as needed, at most to the size of the pool, because each operation is here
     * once at most.
     */
    void add(CoreOperation operation) {
        if (size == ring.length) {
            grow();
        }
        ring[(head + size) & (ring.length - 1)] = operation.index;
        size++;
    }

    /** Removes the first operation; there must be one. */
    CoreOperation remove() {
        CoreOperation operation = pool.at(ring[head]);
        head = (head + 1) & (ring.length - 1);
        size--;
        return operation;
    }

    private void grow() {
        int[] larger = new int[ring.length * 2];
        for (int i = 0; i < size; i++) {
            larger[i] = ring[(head + i) & (ring.length - 1)];
        }
        ring = larger;
        head = 0;
    }
}
