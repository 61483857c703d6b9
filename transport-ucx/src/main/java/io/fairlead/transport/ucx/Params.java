package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A {@code ucp_request_param_t} that one worker passes to every call of a kind. UCX reads it only during the call, so
 * the varying fields are written just before. Field masks and offsets are the same from UCX 1.13 to 1.22.
 */
final class Params {
    private static final int FIELD_CALLBACK = 1 << 1;
    private static final int FIELD_USER_DATA = 1 << 2;
    private static final int FIELD_DATATYPE = 1 << 3;
    private static final int FIELD_MEMORY_TYPE = 1 << 6;
    /** A receive that ends inside its call gets a request too: before UCX 1.18 only the request has tag and length. */
    private static final int FLAG_NO_IMMEDIATE_END = 1 << 16;

    /** Longer than the structure of any version. */
    private static final long LENGTH = 128;

    private static final long CALLBACK = 16;
    private static final long DATATYPE = 24;
    private static final long USER_DATA = 32;
    private static final long MEMORY_TYPE = 48;

    private static final int HOST_MEMORY = 0;
    private static final long DATATYPE_GATHER = 2;

    private final MemorySegment block;

    private Params(Arena arena, int fields, MemorySegment callback) {
        block = arena.allocate(LENGTH, Long.BYTES);
        block.set(JAVA_INT, 0, fields | FIELD_CALLBACK | FIELD_USER_DATA);
        block.set(ADDRESS, CALLBACK, callback);
        block.set(JAVA_INT, MEMORY_TYPE, HOST_MEMORY);
    }

    /** For sends, puts, gets and flushes. */
    static Params plain(Arena arena, MemorySegment sendCallback) {
        return new Params(arena, FIELD_MEMORY_TYPE, sendCallback);
    }

    /** For sends whose buffer is a list of addresses and lengths. */
    static Params gather(Arena arena, MemorySegment sendCallback) {
        Params params = new Params(arena, FIELD_MEMORY_TYPE | FIELD_DATATYPE, sendCallback);
        params.block.set(JAVA_LONG, DATATYPE, DATATYPE_GATHER);
        return params;
    }

    /** For messages whose tag and length are known. */
    static Params message(Arena arena, MemorySegment receiveCallback) {
        return new Params(arena, FIELD_MEMORY_TYPE, receiveCallback);
    }

    /** The same without a callback. */
    static Params unattendedMessage(Arena arena) {
        Params params = message(arena, MemorySegment.NULL);
        params.block.set(JAVA_INT, 0, FIELD_MEMORY_TYPE);
        return params;
    }

    /** For receives that UCX matches, without a callback. */
    static Params askedReceive(Arena arena) {
        Params params = message(arena, MemorySegment.NULL);
        params.block.set(JAVA_INT, 0, FIELD_MEMORY_TYPE | FLAG_NO_IMMEDIATE_END);
        return params;
    }

    /** The block's address, ready for a call whose callback receives that number. */
    long of(long userData) {
        block.set(JAVA_LONG, USER_DATA, userData);
        return block.address();
    }
}
