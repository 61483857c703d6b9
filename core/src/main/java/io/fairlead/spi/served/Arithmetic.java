package io.fairlead.spi.served;

import io.fairlead.spi.AtomicOperation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Atomic operations of the processor on words of memory that this process has mapped. Thread-safe. */
public final class Arithmetic {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private Arithmetic() {}

    /**
     * Changes a word atomically, with respect to every other atomic access of any thread or process that has mapped the
     * memory.
     *
     * @param operation the change
     * @param memory the memory
     * @param offset the offset of the word's first byte, whose address must be a multiple of 8
     * @param operand the operand; for a swap the new value
     * @param compare the expected value of a compare-and-swap; not used by others
     * @return the previous value of the word
     */
    public static long apply(AtomicOperation operation, MemorySegment memory, long offset, long operand, long compare) {
        return switch (operation) {
            case ADD -> (long) WORD.getAndAdd(memory, offset, operand);
            case AND -> (long) WORD.getAndBitwiseAnd(memory, offset, operand);
            case OR -> (long) WORD.getAndBitwiseOr(memory, offset, operand);
            case XOR -> (long) WORD.getAndBitwiseXor(memory, offset, operand);
            case SWAP -> (long) WORD.getAndSet(memory, offset, operand);
            case COMPARE_SWAP -> (long) WORD.compareAndExchange(memory, offset, compare, operand);
        };
    }
}
