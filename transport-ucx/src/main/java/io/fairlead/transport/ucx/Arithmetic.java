package io.fairlead.transport.ucx;

import io.fairlead.AtomicOperation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** The atomics as the processor does them, on memory that this process can reach. */
final class Arithmetic {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private Arithmetic() {}

    /** Changes a word and returns what it was. */
    static long apply(AtomicOperation operation, MemorySegment memory, long offset, long operand, long compare) {
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
