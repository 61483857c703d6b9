package io.fairlead.transport.shm;

import io.fairlead.ActiveMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The layout of messages in the shared memory of two processes, and the access to its words: one side writes, one
 * reads, and neither calls the other. Everything that this transport requires of a memory model is here.
 *
 * <pre>
 *  a slab  at 0   1 while the reader of its ring rests
 *          at 8   the futex by which the kernel reports the end of the reader's process ({@link RobustList})
 *          at 64  the ring
 *  a ring  at 0   how far the reader has come, in bytes since the beginning
 *          at 8   1 once the reader's endpoint has ended, and with it what it has announced in the other direction
 *          at 32  1 if the reader may read the memory of the writer's process
 *          at 40  1 while the writer rests until there is capacity
 *          at 64  records, one behind the other, each at a multiple of 16 bytes:
 *                 at 0 length above kind; at 8 tag; at 16 payload
 * </pre>
 *
 * The writer publishes a record by its first word, written last. Before that it writes a 0 at the beginning of the next
 * record, over any payload of an earlier round. The reader stops there, and need not write to the memory that it reads.
 * A record that would not fit before the end is preceded by one that fills the end. In a turn without records the writer
 * stores to the lines of the next records, so its processor has them when it writes those.
 *
 * <p>The following shows that this is correct on processors that reorder stores and loads (aarch64). It uses the Java
 * memory model, which for memory of two processes stands for the same instructions:
 *
 * <ul>
 *   <li><b>A record.</b> The writer's plain stores of tag, payload and the 0 after them precede the {@linkplain #publish release} of the first word;
 *       the reader's {@linkplain #published acquire} of that word precedes its plain loads of the rest. A reader that sees the word therefore sees
 *       all of the record. At the next record it sees the 0 or a word that was published later, never a payload of an earlier round.
 *   <li><b>Capacity.</b> The reader's loads of a record precede the {@linkplain #publishPosition release} of its position; the writer's {@linkplain #readerPosition acquire} of
 *       that precedes its stores to the same bytes. Nothing is overwritten that is still being read.
 *       The stores of {@link RingWriter#prefetchForWrite} are to such bytes too, behind the 0 at which the reader stops.
 *   <li><b>Rest.</b> Two threads that each store one word and then load the other's must not both miss the other's store. The reader stores that it rests,
 *       executes a full fence, and then checks its rings; the writer publishes, executes a full fence, and then checks whether the reader rests. One of the two
 *       fences is first, and the thread of the second sees the store before the first: the reader its message, or the writer the resting reader
 *       that it must wake. Opaque accesses are enough for the word; a {@linkplain #tryClaimWakeup compare-and-set} chooses the one waker.
 *   <li><b>Rest on a full ring.</b> A writer that rests because the ring is full stores that it waits for capacity, executes a full fence, and checks the reader's position again.
 *       A reader that has published its position executes a full fence in a later turn, or before it rests itself, and checks whether the writer waits. Again one of the two sees the
 *       other's store. The reader clears the request by a compare-and-set, before it checks whether the writer rests.
 *   <li><b>The end.</b> The reader's endpoint {@linkplain #end reports its end} and executes a full fence before it releases any of its memory, whose owner may write to it
 *       at once. A peer that has read memory announced to it executes a full fence and {@linkplain #hasReaderEnded checks the word}. If it has read anything that was written
 *       after the release, it sees the word, which was stored before. If the word is not set then, the memory was not released before
 *       the peer read it.
 * </ul>
 *
 * <p>Nothing that the other side wrote is trusted: a word is read once, checked, then used. {@code RingStressTest}
 * tests each of these, and {@code testing/litmus} checks them with the model of aarch64.
 */
final class Ring {
    /** A message with its payload. */
    static final int MESSAGE = 1;
    /** A message and the first {@link #PAYLOAD_MAX} bytes of its payload. */
    static final int FIRST = 2;
    /** A further part of that payload; the length is that of the part. */
    static final int MORE = 3;
    /** A message whose payload stays at its sender: the sender's number for it, and its address or 0. */
    static final int ANNOUNCEMENT = 4;
    /** The signal of a put; its value is stored instead of the tag. */
    static final int SIGNAL = 5;
    /** Padding up to the end. */
    static final int FILLER = 6;
    /**
     * Requests the payload of an announced message in parts, up to the given length; the message's number replaces the
     * tag.
     */
    static final int WANTED = 7;
    /** A part of the payload of the oldest such request. */
    static final int PART = 8;
    /** The receiver has finished with an announced message; the message's number replaces the tag. */
    static final int TAKEN = 9;
    /** A message of emulated remote memory access: the length is that of its header and data. */
    static final int SERVED = 10;

    /**
     * A single-copy message: as short as an eager one, but its payload stays at the sender until the record is read.
     * Number and address as in an announcement.
     */
    static final int SINGLE_COPY = 11;

    /**
     * An active message: header and payload are its payload here, and its {@linkplain #target target} is in place of the
     * tag.
     */
    static final int ACTIVE = 12;
    /** An active message and the first {@link #PAYLOAD_MAX} bytes of header and payload; {@link #MORE} follow. */
    static final int ACTIVE_FIRST = 13;
    /**
     * An active message whose payload stays at its sender: number and address as in an announcement, and the header. The
     * record is as long as the longest header, because its length must not depend on a word that the peer may change.
     */
    static final int ACTIVE_ANNOUNCEMENT = 14;

    static final int KIND_BITS = 8;
    static final long KIND_MASK = (1 << KIND_BITS) - 1;

    static final int ALIGNMENT = 16;
    /** The length of a cache line; a wrong one costs time only. */
    static final int LINE = 64;

    static final int RECORDS_AT = 64;
    static final int CAPACITY = 32 << 10;
    /** Longer payloads arrive in parts, so a second part fits while the first is read. */
    static final int PAYLOAD_MAX = (8 << 10) - 16;
    /** Number and address. */
    static final int ANNOUNCEMENT_PAYLOAD = 2 * Long.BYTES;

    static final int ACTIVE_ANNOUNCEMENT_PAYLOAD = ANNOUNCEMENT_PAYLOAD + ActiveMessage.HEADER_MAX;

    static final int TAG_AT = 8;
    static final int PAYLOAD_AT = 16;
    /** The 0 after the last record, which must fit too. */
    static final int STOP = ALIGNMENT;
    /** The size of one ring. */
    static final int SIZE = RECORDS_AT + CAPACITY;

    private static final int FUTEX_AT = 8;

    /** Before a slab: memory of the reader's process alone. A multiple of every page size; it uses the first bytes. */
    static final int ENTRY_ROOM = 64 << 10;

    /** From the beginning of that memory to the slab's futex. */
    static final int FUTEX_AFTER_ENTRY = ENTRY_ROOM + FUTEX_AT;

    private static final int ENDED_AT = 8;
    private static final int READS_AT = 32;
    private static final int WANTS_ROOM_AT = 40;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    /** All of memory as a constant, so an access costs no more than its address. */
    static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private Ring() {}

    /** The handler number of an active message, and the length of its header. */
    static long target(int number, int headerLength) {
        return number | (long) headerLength << 32;
    }

    static int number(long target) {
        return (int) target;
    }

    static int headerLength(long target) {
        return (int) (target >>> 32);
    }

    /** The size of a record. */
    static int span(int payload) {
        return (PAYLOAD_AT + payload + ALIGNMENT - 1) & -ALIGNMENT;
    }

    // Before the first record.

    /** Reader: declares that it may read the writer's memory; before the ring is offered. */
    static void allowSingleCopy(long ring) {
        WORD.setVolatile(MEMORY, ring + READS_AT, 1L);
    }

    /** Writer: whether the reader may read its memory. */
    static boolean allowsSingleCopy(long ring) {
        return (long) WORD.getAcquire(MEMORY, ring + READS_AT) == 1;
    }

    // Writer.

    /** Publishes a record by its first word, with all earlier stores. */
    static void publish(long record, long word) {
        WORD.setRelease(MEMORY, record, word);
    }

    /** The position of the reader of a ring. */
    static long readerPosition(long ring) {
        return (long) WORD.getAcquire(MEMORY, ring);
    }

    /**
     * Requests that the reader wake the writer, if that rests, once the ring has capacity; before
     * {@link #fenceBeforeLastCheck}.
     */
    static void wantRoom(long ring) {
        WORD.setOpaque(MEMORY, ring + WANTS_ROOM_AT, 1L);
    }

    /** Whether the reader's endpoint had ended before this call. */
    static boolean hasReaderEnded(long ring) {
        VarHandle.fullFence();
        return (long) WORD.getAcquire(MEMORY, ring + ENDED_AT) != 0;
    }

    /** Before writers check whether their readers rest, after all that they have published. */
    static void fenceBeforeRestCheck() {
        VarHandle.fullFence();
    }

    /** Whether the reader of a slab rests; after {@link #fenceBeforeRestCheck}. */
    static boolean isResting(long slab) {
        return (long) WORD.getOpaque(MEMORY, slab) != 0;
    }

    /** Whether the kernel has begun to end the process of a slab's reader. */
    static boolean isReaderLost(long slab) {
        return RobustList.isMarked(slab + FUTEX_AT);
    }

    /** Whether the caller must wake the reader of a slab. */
    static boolean tryClaimWakeup(long slab) {
        return WORD.compareAndSet(MEMORY, slab, 1L, 0L);
    }

    // Reader.

    /** The first word of a record, or 0. */
    static long published(long record) {
        return (long) WORD.getAcquire(MEMORY, record);
    }

    /** Releases the bytes before a position to the writer. */
    static void publishPosition(long ring, long position) {
        WORD.setRelease(MEMORY, ring, position);
    }

    /** Between the release of bytes and the check whether the writer waits for them. */
    static void fenceBeforeRoomCheck() {
        VarHandle.fullFence();
    }

    /**
     * Whether the writer waits for capacity; true once per request. After {@link #fenceBeforeRoomCheck} or
     * {@link #fenceBeforeLastCheck}.
     */
    static boolean tryTakeWish(long ring) {
        long at = ring + WANTS_ROOM_AT;
        return (long) WORD.getOpaque(MEMORY, at) != 0 && WORD.compareAndSet(MEMORY, at, 1L, 0L);
    }

    /** Reports to the writer that this side's endpoint has ended; before any memory of the endpoint is released. */
    static void end(long ring) {
        WORD.setVolatile(MEMORY, ring + ENDED_AT, 1L);
        // A volatile store does not order later stores, such as the memory owner's.
        VarHandle.fullFence();
    }

    /** Reports to writers whether the reader of a slab rests. */
    static void setResting(long slab, boolean resting) {
        WORD.setOpaque(MEMORY, slab, resting ? 1L : 0L);
    }

    /** Between the report of resting and the last check of the rings. */
    static void fenceBeforeLastCheck() {
        VarHandle.fullFence();
    }
}
