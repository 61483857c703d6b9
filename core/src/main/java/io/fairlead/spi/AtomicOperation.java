package io.fairlead.spi;

import io.fairlead.Request;

/**
 * The atomic operations on an aligned 64-bit word of remote memory, in the byte order of the target host.
 *
 * <p>Each completes with the value that the word had before ({@link Request#value()}). Semantics: UCX {@code ucp_atomic_op_nbx}.
 */
public enum AtomicOperation {
    /** {@code word += operand}, wrapping. */
    ADD,
    /** {@code word &= operand}. */
    AND,
    /** {@code word |= operand}. */
    OR,
    /** {@code word ^= operand}. */
    XOR,
    /** {@code word = operand}. */
    SWAP,
    /** {@code if (word == compare) word = operand}. */
    COMPARE_SWAP
}
