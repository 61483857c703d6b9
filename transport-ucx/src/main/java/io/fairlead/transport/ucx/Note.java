package io.fairlead.transport.ucx;

import io.fairlead.spi.ConnectionToken;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A message of this transport's own, beside the application's: a signal, a request to touch a region, or its answer. Travels under
 * source number 0, which belongs to no endpoint; the rest of the UCX tag names kind and endpoint. Both sides are of one host
 * architecture, since UCX versions for others are refused, so words are in native order. Pooled.
 *
 * <pre>
 *  HELLO    at 0 length of a ring's key or 0, at 8 number of the ring, at 16 number of the UCX endpoint, at 24 token of the connection, at
 *           40 key
 *  WELCOME  the same; without a ring, messages go through UCX both ways
 *  READY    at 0 1 if rings are used, at 24 token of the connection
 *  SIGNAL   at 8 value
 *  REQUEST  a message of remote memory that the owner serves
 *  ANSWER   the same
 * </pre>
 */
final class Note {
    static final int SIGNAL = 1;
    static final int REQUEST = 2;
    static final int ANSWER = 3;
    /** The first message, with the ring that its sender reads. */
    static final int HELLO = 4;
    /** The answer, with the other ring. What its sender sends from here on is in the first one. */
    static final int WELCOME = 5;
    /** The answer to that. What its sender sends from here on is in the other one. */
    static final int READY = 6;

    /** With UCX's own headers it fits one fragment of shared memory, 8,256 bytes. */
    static final int CAPACITY = 8128;

    private static final int TOKEN = 24;
    private static final int KEY = TOKEN + 2 * Long.BYTES;
    static final int SIGNAL_LENGTH = 16;

    private static final int KIND_SHIFT = 32;
    private static final long ENDPOINT_MASK = 0xFFFF;

    final MemorySegment memory;
    /** What is used of it. */
    int length;
    /** Which; of one that goes out from its sending on. */
    int kind;
    /** Of an incoming one: whether it is all here. */
    boolean here;

    Note(Arena arena) {
        memory = arena.allocate(CAPACITY, Long.BYTES);
    }

    static long tag(int kind, int endpoint) {
        return (long) kind << KIND_SHIFT | endpoint;
    }

    /** Whether notes of a kind go before everything else, and through UCX, which makes its connections by them. */
    static boolean introduces(int kind) {
        return kind == HELLO || kind == WELCOME || kind == READY;
    }

    static int kind(long tag) {
        return (int) (tag >>> KIND_SHIFT);
    }

    static int endpoint(long tag) {
        return (int) (tag & ENDPOINT_MASK);
    }

    void signal(long value) {
        number(8, value);
        length = SIGNAL_LENGTH;
    }

    /** Without content so far, of a connection. */
    void empty(ConnectionToken token) {
        number(0, 0);
        number(8, 0);
        number(16, 0);
        number(TOKEN, token.connector());
        number(TOKEN + Long.BYTES, token.listener());
        length = KEY;
    }

    /** The same as another. */
    void copy(Note other) {
        length = other.length;
        MemorySegment.copy(other.memory, 0, memory, 0, length);
    }

    /** Whether a received one that introduces is of a connection. */
    boolean isOf(ConnectionToken token) {
        return length >= KEY
                && memory.get(ValueLayout.JAVA_LONG, TOKEN) == token.connector()
                && memory.get(ValueLayout.JAVA_LONG, TOKEN + Long.BYTES) == token.listener();
    }

    /** Says in an empty one which UCX endpoint between the two workers it comes by. */
    void endpointNumber(long made) {
        number(16, made);
    }

    long endpointNumber() {
        return memory.get(ValueLayout.JAVA_LONG, 16);
    }

    /** Adds a ring to an empty one. */
    void ring(int index, byte[] key) {
        number(0, key.length);
        number(8, index);
        MemorySegment.copy(key, 0, memory, ValueLayout.JAVA_BYTE, KEY, key.length);
        length = KEY + key.length;
    }

    /** Says in an empty one whether rings are used. */
    void ringsUsed(boolean used) {
        number(0, used ? 1 : 0);
    }

    boolean ringsUsed() {
        return memory.get(ValueLayout.JAVA_LONG, 0) != 0;
    }

    boolean hasRing() {
        return length > KEY;
    }

    int ringIndex() {
        return (int) Math.clamp(memory.get(ValueLayout.JAVA_LONG, 8), -1L, Integer.MAX_VALUE);
    }

    byte[] ringKey() {
        return memory.asSlice(KEY, length - KEY).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Whether a received message is as long as its kind says. */
    boolean wellFormed() {
        return switch (kind) {
            case HELLO, WELCOME -> length >= KEY && memory.get(ValueLayout.JAVA_LONG, 0) == length - KEY;
            case READY -> length == KEY;
            case SIGNAL -> length == SIGNAL_LENGTH;
            case REQUEST, ANSWER -> true;
            default -> false;
        };
    }

    /** The value of a signal. */
    long value() {
        return memory.get(ValueLayout.JAVA_LONG, 8);
    }

    private void number(long at, long value) {
        memory.set(ValueLayout.JAVA_LONG, at, value);
    }
}
