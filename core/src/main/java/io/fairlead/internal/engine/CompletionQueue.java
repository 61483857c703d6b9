package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.internal.log.Callbacks;
import java.util.Arrays;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Operations that have ended and whose completions have still to run, in the order in which they ended. */
final class CompletionQueue {
    private static final Logger LOG = LoggerFactory.getLogger(Completion.class);

    private final OperationPool pool;
    /** Their places in the pool: numbers, because a collector watches every store of a reference. */
    private int[] ring = new int[64];

    private int head;
    private int size;

    CompletionQueue(OperationPool pool) {
        this.pool = pool;
    }

    /** Never full: it grows to the number of operations that the pool allows in flight. */
    void add(CoreOperation operation) {
        if (size == ring.length) {
            grow();
        }
        ring[(head + size) & (ring.length - 1)] = operation.index;
        size++;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Runs the completions that are queued now; those that they cause wait for the next call, so that none starves the network. */
    int drain(CoreWorker worker) {
        int count = size;
        for (int i = 0; i < count; i++) {
            CoreOperation operation = pool.at(ring[head]);
            head = (head + 1) & (ring.length - 1);
            size--;
            tell(worker, operation);
        }
        return count;
    }

    /** Runs a completion. */
    static void tell(CoreWorker worker, CoreOperation operation) {
        try {
            Objects.requireNonNull(operation.completion, "completion").completed(operation);
        } catch (Throwable thrown) {
            Callbacks.threw(
                    LOG, thrown, "a completion threw; request={}, status={}", operation.id(), operation.status());
        }
        worker.delivered(operation);
    }

    private void grow() {
        int[] larger = Arrays.copyOf(ring, ring.length * 2);
        for (int i = 0; i < size; i++) {
            larger[i] = ring[(head + i) & (ring.length - 1)];
        }
        ring = larger;
        head = 0;
    }
}
