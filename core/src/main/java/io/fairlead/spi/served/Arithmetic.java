package io.fairlead.spi.served;

import io.fairlead.spi.AtomicOperation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** The atomics on words of memory that this process reaches, done by the processor. Thread-safe. */
public final class Arithmetic {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private Arithmetic() {}

    /**
     * Changes a word atomically, against every other atomic access of any thread or process that has the memory mapped.
     *
     * @param operation what to do
     * @param memory the memory
     * @param offset the word's first byte, a multiple of 8 from an address that is one
     * @param operand the operand
     * @param compare the expected value of a compare-and-swap
     * @return what the word was before
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
