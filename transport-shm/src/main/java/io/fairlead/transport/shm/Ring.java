package io.fairlead.transport.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.security.MessageDigest;

/**
 * How messages lie in the shared memory between two processes, and how its words are written and read: one side writes, one reads, neither calls
 * anybody. All that this transport owes to a memory model is here.
 *
 * <pre>
 *  a slab  at 0   1 while the reader of its rings rests
 *          at 64  rings
 *  a ring  at 0   how far the reader has come, in bytes since the beginning
 *          at 8   1 once the reader's endpoint has ended, and with it what it has announced in the other direction
 *          at 16  seal of the offer by which the reader has given the ring to one connection
 *          at 32  1 if the reader may read the memory of the writer's process
 *          at 40  1 while the writer rests until there is room
 *          at 64  records, one behind the other, each at a multiple of 16 bytes:
 *                 at 0 length above kind; at 8 tag; at 16 payload
 * </pre>
 *
 * The writer publishes a record by its first word, written last. Before that it writes a 0 where the next record will begin, whatever
 * payload of an earlier round lies there: so that is where the reader stops, and the reader need not write to what it reads. A record
 * that would not fit before the end is preceded by one that fills the end.
 *
 * <p>Why that is right where stores and loads are not kept in order (aarch64), in the words of the Java memory model, which for memory of two processes
 * stands for what the same instructions mean there:
 *
 * <ul>
 *   <li><b>A record.</b> The writer's plain stores of tag, payload and the 0 behind them come before the {@linkplain #publish release} of the first word;
 *       the reader's {@linkplain #published acquire} of that word comes before its plain loads of the rest. So a reader that sees the word sees
 *       all of the record, and at the next record's place the 0 or a word that was published after it, never a payload of an earlier round.
 *   <li><b>Room.</b> The reader's loads of a record come before the {@linkplain #tellPosition release} of its position; the writer's {@linkplain #readerPosition acquire} of
 *       that comes before it stores to the same bytes. So nothing is overwritten that is still being read.
 *   <li><b>Rest.</b> Two threads that each store one word and then load the other's must not both miss the other's store. The reader stores that it rests,
 *       then fences fully, then looks at its rings; the writer publishes, then fences fully, then looks whether the reader rests. Of two full
 *       fences one is first, and who has the second sees the store before the first: the reader its message, or the writer that it has
 *       somebody to wake. Opaque accesses are enough for the word, whose one waker a {@linkplain #tryClaimWakeup compare-and-set} chooses.
 *   <li><b>Rest without room.</b> A writer that rests because the ring is full stores that it wants room, fences fully, and looks at the reader's position once more.
 *       A reader that has told its position fences fully in a later turn, or before it rests itself, and looks whether room is wanted. Again one of the two sees the
 *       other's store. The reader takes the wish by a compare-and-set, before it looks whether the writer rests.
 *   <li><b>The end.</b> The reader's endpoint {@linkplain #end says so} and fences fully before it gives any of its memory back, whose owner may write to it
 *       at once. A peer that has read memory announced to it fences fully and {@linkplain #hasReaderEnded looks}. If it has read anything that was written
 *       after the memory was given back, it sees the word, which was stored before. So if the word is not set then, what it has read was not given back
 *       before it was read.
 * </ul>
 *
 * <p>Nothing that the other side wrote is believed: a word is read once, checked, then used. {@code RingStressTest} tries each of these.
 */
final class Ring {
    /** A message, its payload with it. */
    static final int MESSAGE = 1;
    /** A message and the beginning of its payload, {@link #PAYLOAD_MAX} bytes. */
    static final int FIRST = 2;
    /** More of that payload; the length is that of the part. */
    static final int MORE = 3;
    /** A message whose payload stays with its sender: a number that the sender gave it, and its address or 0. */
    static final int ANNOUNCEMENT = 4;
    /** The signal of a put; its value is where the tag is. */
    static final int SIGNAL = 5;
    /** Nothing, to the end. */
    static final int FILLER = 6;
    /** The payload of an announced message is wanted in parts, as many bytes of it as the length says; its number is where the tag is. */
    static final int WANTED = 7;
    /** A part of the payload that was asked for first. */
    static final int PART = 8;
    /** All that is wanted of an announced message is there; its number is where the tag is. */
    static final int TAKEN = 9;
    /** A message of served memory: the length is that of its header and data. */
    static final int SERVED = 10;

    /** A message as short as others whose payload comes along; it stays with its sender until the record is read. As in an announcement, number and address. */
    static final int LENT = 11;

    static final int KIND_BITS = 8;
    static final long KIND_MASK = (1 << KIND_BITS) - 1;

    static final int ALIGNMENT = 16;
    static final int RECORDS_AT = 64;
    static final int CAPACITY = 32 << 10;
    /** Longer payloads come in parts, so that there is room for a second while the first is read. */
    static final int PAYLOAD_MAX = (8 << 10) - 16;
    /** Number and address. */
    static final int ANNOUNCEMENT_PAYLOAD = 2 * Long.BYTES;

    static final int TAG_AT = 8;
    static final int PAYLOAD_AT = 16;
    /** The 0 behind the last record, which there must be room for. */
    static final int STOP = ALIGNMENT;
    /** What one ring takes. */
    static final int SIZE = RECORDS_AT + CAPACITY;

    /** Bytes of a seal. */
    static final int SEAL_LENGTH = 16;

    private static final int ENDED_AT = 8;
    private static final int SEAL_AT = 16;
    private static final int READS_AT = 32;
    private static final int WANTS_ROOM_AT = 40;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    /** All of memory: a constant, so that an access costs no more than its address. */
    static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private Ring() {}

    /** What a record takes. */
    static int span(int payload) {
        return (PAYLOAD_AT + payload + ALIGNMENT - 1) & -ALIGNMENT;
    }

    // Before either begins.

    /** The reader's: shows whoever maps the ring for which connection it is. */
    static void setSeal(long ring, byte[] seal) {
        MemorySegment.copy(seal, 0, MEMORY, ValueLayout.JAVA_BYTE, ring + SEAL_AT, SEAL_LENGTH);
        VarHandle.releaseFence();
    }

    /** The reader's: tells the writer that its memory may be read from here; before the ring is offered. */
    static void allowLending(long ring) {
        WORD.setVolatile(MEMORY, ring + READS_AT, 1L);
    }

    /** The writer's: whether the reader may read its memory. */
    static boolean allowsLending(long ring) {
        return (long) WORD.getAcquire(MEMORY, ring + READS_AT) == 1;
    }

    /** The writer's: whether the ring is for the connection on which it was offered. */
    static boolean isSealed(long ring, byte[] seal) {
        VarHandle.acquireFence();
        return MessageDigest.isEqual(
                seal, MEMORY.asSlice(ring + SEAL_AT, SEAL_LENGTH).toArray(ValueLayout.JAVA_BYTE));
    }

    // The writer's.

    /** Shows a record, by its first word, and all that was stored before. */
    static void publish(long record, long word) {
        WORD.setRelease(MEMORY, record, word);
    }

    /** How far the reader of a ring has come. */
    static long readerPosition(long ring) {
        return (long) WORD.getAcquire(MEMORY, ring);
    }

    /** Has the reader wake the writer once there is room, if the writer rests then; before {@link #fenceBeforeLastCheck}. */
    static void wantRoom(long ring) {
        WORD.setOpaque(MEMORY, ring + WANTS_ROOM_AT, 1L);
    }

    /** Whether the reader's endpoint had ended when everything before this call was done. */
    static boolean hasReaderEnded(long ring) {
        VarHandle.fullFence();
        return (long) WORD.getAcquire(MEMORY, ring + ENDED_AT) != 0;
    }

    /** Before writers look whether their readers rest, behind all that they have published. */
    static void fenceBeforeRestCheck() {
        VarHandle.fullFence();
    }

    /** Whether the reader of a slab rests; behind {@link #fenceBeforeRestCheck}. */
    static boolean isResting(long slab) {
        return (long) WORD.getOpaque(MEMORY, slab) != 0;
    }

    /** Whether it is up to the caller to wake the reader of a slab. */
    static boolean tryClaimWakeup(long slab) {
        return WORD.compareAndSet(MEMORY, slab, 1L, 0L);
    }

    // The reader's.

    /** The first word of a record, or 0. */
    static long published(long record) {
        return (long) WORD.getAcquire(MEMORY, record);
    }

    /** Gives the writer back what is before a position. */
    static void tellPosition(long ring, long position) {
        WORD.setRelease(MEMORY, ring, position);
    }

    /** Between giving room back and the look whether it is wanted. */
    static void fenceBeforeRoomCheck() {
        VarHandle.fullFence();
    }

    /** Whether the writer waits for room, which is asked once for each time; behind {@link #fenceBeforeRoomCheck} or {@link #fenceBeforeLastCheck}. */
    static boolean tryTakeWish(long ring) {
        long at = ring + WANTS_ROOM_AT;
        return (long) WORD.getOpaque(MEMORY, at) != 0 && WORD.compareAndSet(MEMORY, at, 1L, 0L);
    }

    /** Tells the writer that this side's endpoint has ended; before anything of the endpoint's is given back. */
    static void end(long ring) {
        WORD.setVolatile(MEMORY, ring + ENDED_AT, 1L);
        // A volatile store holds back nothing that is stored behind it, such as what the owner of that memory writes
        // next.
        VarHandle.fullFence();
    }

    /** Tells writers whether the reader of a slab rests. */
    static void setResting(long slab, boolean resting) {
        WORD.setOpaque(MEMORY, slab, resting ? 1L : 0L);
    }

    /** Between saying that one rests and the last look at the rings. */
    static void fenceBeforeLastCheck() {
        VarHandle.fullFence();
    }
}
