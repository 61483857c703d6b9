package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A {@code ucp_request_param_t} that one worker passes to every call of a kind. UCX reads it during the call alone, so what differs
 * between two calls is written just before. Field masks and offsets are the same from UCX 1.13 to 1.22.
 */
final class Params {
    private static final int FIELD_CALLBACK = 1 << 1;
    private static final int FIELD_USER_DATA = 1 << 2;
    private static final int FIELD_DATATYPE = 1 << 3;
    private static final int FIELD_REPLY_BUFFER = 1 << 5;
    private static final int FIELD_MEMORY_TYPE = 1 << 6;
    private static final int FIELD_RECV_INFO = 1 << 7;

    /** Longer than the structure of any version. */
    private static final long LENGTH = 128;

    private static final long CALLBACK = 16;
    private static final long DATATYPE = 24;
    private static final long USER_DATA = 32;
    private static final long REPLY_BUFFER = 40;
    private static final long MEMORY_TYPE = 48;
    private static final long RECV_INFO = 56;

    private static final int HOST_MEMORY = 0;
    private static final long DATATYPE_GATHER = 2;
    private static final long DATATYPE_WORD = (long) Long.BYTES << 3;

    private final MemorySegment block;

    private Params(Arena arena, int fields, MemorySegment callback) {
        block = arena.allocate(LENGTH, Long.BYTES);
        block.set(JAVA_INT, 0, fields | FIELD_CALLBACK | FIELD_USER_DATA);
        block.set(ADDRESS, CALLBACK, callback);
        block.set(JAVA_INT, MEMORY_TYPE, HOST_MEMORY);
    }

    /** Of sends, puts, gets and flushes. */
    static Params plain(Arena arena, MemorySegment sendCallback) {
        return new Params(arena, FIELD_MEMORY_TYPE, sendCallback);
    }

    /** Of sends whose buffer is a list of addresses and lengths. */
    static Params gather(Arena arena, MemorySegment sendCallback) {
        Params params = new Params(arena, FIELD_MEMORY_TYPE | FIELD_DATATYPE, sendCallback);
        params.block.set(JAVA_LONG, DATATYPE, DATATYPE_GATHER);
        return params;
    }

    /** Of receives; where one ends inside its call, tag and length go to {@code info}. */
    static Params receive(Arena arena, MemorySegment receiveCallback, MemorySegment info) {
        Params params = new Params(arena, FIELD_MEMORY_TYPE | FIELD_RECV_INFO, receiveCallback);
        params.block.set(ADDRESS, RECV_INFO, info);
        return params;
    }

    /** Of receives without a callback. */
    static Params polledReceive(Arena arena, MemorySegment info) {
        Params params = receive(arena, MemorySegment.NULL, info);
        params.block.set(JAVA_INT, 0, FIELD_MEMORY_TYPE | FIELD_RECV_INFO);
        return params;
    }

    /** Of atomics on a word; the old value goes to a buffer that is named for each. */
    static Params atomic(Arena arena, MemorySegment sendCallback) {
        Params params = new Params(arena, FIELD_DATATYPE | FIELD_REPLY_BUFFER, sendCallback);
        params.block.set(JAVA_LONG, DATATYPE, DATATYPE_WORD);
        return params;
    }

    /** The block's address, ready for a call whose callback gets that number. */
    long of(long userData) {
        block.set(JAVA_LONG, USER_DATA, userData);
        return block.address();
    }

    long of(long userData, MemorySegment replyBuffer) {
        block.set(ADDRESS, REPLY_BUFFER, replyBuffer);
        return of(userData);
    }
}
