package io.fairlead.internal.engine;

import io.fairlead.MatchHandler;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one worker: created on demand, reused, never more than the limit. An id combines the operation's
 * index with its number of uses. The id of an ended operation is therefore not mistaken for its successor's.
 */
final class OperationPool {
    /** Twice the maximum of {@code worker.operations-max}. */
    private static final int INDEX_BITS = 21;

    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
    /** Added to an id with each use. */
    private static final long ID_STEP = 1L << INDEX_BITS;
    /** The next operation is the oldest of this many recently freed ones; a power of two. */
    private static final int ROTATED = 8;

    private static final VarHandle MADE;
    private static final VarHandle FREE_COUNT;
    private static final VarHandle PASSED;

    static {
        try {
            MADE = MethodHandles.lookup().findVarHandle(OperationPool.class, "made", int.class);
            FREE_COUNT = MethodHandles.lookup().findVarHandle(OperationPool.class, "freeCount", int.class);
            PASSED = MethodHandles.lookup().findVarHandle(OperationPool.class, "passed", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CoreOperation.Ending ending;
    private final int limit;
    /** Represents each operation that is done inside its post, one after the other. Its index is no other operation's. */
    private final CoreOperation passing;
    /** 1 while its completion runs. */
    private int passed;

    private CoreOperation[] all = new CoreOperation[16];
    /** Indices of the free operations: numbers, because a collector tracks every store of a reference. */
    private int[] free = new int[16];

    /** The used operations that are receives without a buffer and without a message: they have their own limit. */
    private int waiting;

    private int made;
    private int freeCount;
    /** The minimum number of free operations since {@link #forget}: those above were used since then. */
    private int freeLeast;

    private int rotation;

    /**
     * Creates the first operations.
     *
     * @param ending notified as they end
     * @param limit maximum number of operations
     */
    OperationPool(CoreOperation.Ending ending, int limit) {
        this.ending = ending;
        this.limit = limit;
        this.passing = new CoreOperation(ending, INDEX_MASK);
        passing.id = INDEX_MASK;
        while (made < Math.min(limit, ROTATED)) {
            free[freeCount++] = make().index;
        }
        freeLeast = freeCount;
    }

    /** An operation with a new id, or null if the limit is reached. */
    @Nullable CoreOperation take() {
        return hasRoom() ? next() : null;
    }

    /** Whether the limit is not reached. */
    boolean hasRoom() {
        return made - freeCount + passed - waiting < limit;
    }

    /** The operation that is done inside its post, with a new id. */
    CoreOperation beginPassing() {
        passing.id += ID_STEP;
        if (passing.id < 0) {
            passing.id = ID_STEP | passing.index;
        }
        passed = 1;
        return passing;
    }

    /** Its completion has run. */
    void endPassing() {
        passed = 0;
    }

    /**
     * An operation for a receive without a buffer. Null if the maximum number waits for messages, or too many have
     * matched one.
     */
    @Nullable CoreOperation takeWaiting(MatchHandler handler) {
        if (waiting == limit || made - freeCount == 2 * limit) {
            return null;
        }
        waiting++;
        CoreOperation receive = next();
        receive.matchHandler = handler;
        return receive;
    }

    /**
     * An operation for a receive whose message has arrived, exempt from the application's limit; null if too many have
     * matched one.
     */
    @Nullable CoreOperation takeMatched() {
        return hasRoomForMatched() ? next() : null;
    }

    boolean hasRoomForMatched() {
        return made - freeCount < 2 * limit;
    }

    /** A receive no longer waits for a message; no effect if it did not wait, or had its buffer from the start. */
    void endWaiting(CoreOperation receive) {
        if (receive.matchHandler != null) {
            receive.matchHandler = null;
            waiting--;
        }
    }

    /** An operation with a new id; the limit is not reached. */
    CoreOperation next() {
        CoreOperation operation = freeCount > 0 ? all[takeFree()] : make();
        operation.id += ID_STEP;
        if (operation.id < 0) {
            operation.id = ID_STEP | operation.index;
        }
        return operation;
    }

    /** Rotates: the processor may still be working on the last freed one, and its reuse would stall. */
    private int takeFree() {
        int last = --freeCount;
        int chosen = Math.max(0, last - (rotation++ & ROTATED - 1));
        int index = free[chosen];
        free[chosen] = free[last];
        if (chosen < freeLeast) {
            freeLeast = chosen;
        }
        return index;
    }

    void giveBack(CoreOperation operation) {
        operation.clear();
        free[freeCount++] = operation.index;
    }

    /** Clears what recently ended operations still reference. */
    void forget() {
        for (int i = freeLeast; i < freeCount; i++) {
            all[free[i]].forget();
        }
        freeLeast = freeCount;
        passing.forget();
    }

    /** The operation of an id, or null if that one has ended. */
    @Nullable CoreOperation find(long id) {
        int index = (int) id & INDEX_MASK;
        if (id <= 0 || index >= made) {
            return null;
        }
        CoreOperation operation = all[index];
        return operation.id == id && operation.state != CoreOperation.FREE ? operation : null;
    }

    /** The pending operations that transports have. */
    List<CoreOperation> inFlight() {
        return Arrays.stream(all, 0, made)
                .filter(operation -> operation.state == CoreOperation.IN_FLIGHT)
                .toList();
    }

    /** The operation at an index. */
    CoreOperation at(int index) {
        return all[index];
    }

    /** The number of operations whose completions have not run. On any thread. */
    int inUse() {
        // The number of free ones is read first: it never exceeds the number created by then.
        int unused = (int) FREE_COUNT.getOpaque(this);
        return (int) MADE.getOpaque(this) - unused + (int) PASSED.getOpaque(this);
    }

    private CoreOperation make() {
        if (made == all.length) {
            int capacity = Math.min(2 * limit, made * 2);
            all = Arrays.copyOf(all, capacity);
            free = Arrays.copyOf(free, capacity);
        }
        CoreOperation operation = new CoreOperation(ending, made);
        operation.id = made;
        all[made++] = operation;
        return operation;
    }
}
