package io.fairlead.internal.engine;

import io.fairlead.MatchHandler;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one worker: made when first needed, used again for ever, never more than the bound. An id holds the
 * operation's place and how often that place was used, so that the id of an ended operation is not taken for its successor.
 */
final class OperationPool {
    /** Twice as many places as {@code worker.operations-max} can ask for. */
    private static final int INDEX_BITS = 21;

    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
    /** Of so many free operations, those that were given back last, the next is taken; a power of two. */
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
    /** Stands for each operation that is done inside its post, one after the other. Its place is no operation's. */
    private final CoreOperation passing;
    /** 1 while the completion of that one runs. */
    private int passed;

    private CoreOperation[] all = new CoreOperation[16];
    /** Places of those that are not in use: numbers, because a collector watches every store of a reference. */
    private int[] free = new int[16];

    /** Of those in use, the receives without a buffer that no message has matched: they are bounded by themselves. */
    private int waiting;

    private int made;
    private int freeCount;
    /** The least count of free ones since {@link #forget}: those above were in use since then. */
    private int freeLeast;

    private int rotation;

    /**
     * Makes the first operations.
     *
     * @param ending takes them as they end
     * @param limit how many there may be
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

    /** An operation with a new id, or null if as many as allowed are in flight. */
    @Nullable CoreOperation take() {
        return hasRoom() ? next() : null;
    }

    /** Whether fewer than allowed are in flight. */
    boolean hasRoom() {
        return made - freeCount + passed - waiting < limit;
    }

    /** The operation that is done inside its post, with a new id. */
    CoreOperation beginPassing() {
        renew(passing);
        passed = 1;
        return passing;
    }

    /** Its completion has run. */
    void endPassing() {
        passed = 0;
    }

    /** An operation for a receive without a buffer, or null if as many as allowed wait for a message or too many have matched one. */
    @Nullable CoreOperation takeWaiting(MatchHandler handler) {
        if (waiting == limit || made - freeCount == 2 * limit) {
            return null;
        }
        waiting++;
        CoreOperation receive = next();
        receive.matchHandler = handler;
        return receive;
    }

    /** An operation for a receive whose message is here, which no limit of the application's keeps back; null if too many have matched one. */
    @Nullable CoreOperation takeMatched() {
        return hasRoomForMatched() ? next() : null;
    }

    boolean hasRoomForMatched() {
        return made - freeCount < 2 * limit;
    }

    /** A receive waits for no message any more; nothing changes if it did not, or had its buffer from the start. */
    void endWaiting(CoreOperation receive) {
        if (receive.matchHandler != null) {
            receive.matchHandler = null;
            waiting--;
        }
    }

    private CoreOperation next() {
        CoreOperation operation = freeCount > 0 ? all[takeFree()] : make();
        renew(operation);
        return operation;
    }

    private static void renew(CoreOperation operation) {
        operation.id += 1L << INDEX_BITS;
        if (operation.id < 0) {
            operation.id = (1L << INDEX_BITS) | operation.index;
        }
    }

    /** In rotation: on the very last one the processor is still at work, and what comes next would have to wait for that. */
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

    /** Lets go of what the operations that have ended lately still keep reachable. */
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

    /** The operations that transports have and that have not ended. */
    List<CoreOperation> inFlight() {
        return Arrays.stream(all, 0, made)
                .filter(operation -> operation.state == CoreOperation.IN_FLIGHT)
                .toList();
    }

    /** The operation at a place. */
    CoreOperation at(int index) {
        return all[index];
    }

    /** How many operations have begun whose completions have not run. On any thread. */
    int inUse() {
        // What is free is read first: it never exceeds what has been made by then.
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
