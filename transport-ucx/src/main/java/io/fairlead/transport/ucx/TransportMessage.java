package io.fairlead.transport.ucx;

import io.fairlead.spi.Operation;
import io.fairlead.spi.served.ServedMessage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * A message of the transport itself: a message of the {@linkplain WireUp wire-up}, a signal, or a message of emulated
 * remote memory access. It has source number 0, which belongs to no endpoint; the rest of the UCX tag has kind and
 * endpoint. Both sides have one host architecture, because UCX versions for others are refused, so words are in native
 * order. Pooled.
 *
 * <pre>
 *  SIGNAL                 at 0 value
 *  SERVED                 a message of served memory: header and data
 *  WIRE_UP_REQUEST        at 0 {@linkplain WireUpSeal seal}, at 16 number of the UCX endpoint
 *  WIRE_UP_REPLY          at 0 seal
 *  WIRE_UP_ACKNOWLEDGEMENT the same
 *  ACTIVE                 an active message: header and payload; its tag has the target
 *  ACTIVE_HEADER          the header of an active message whose payload follows; the same
 *  ACTIVE_PAYLOAD         that payload; the same. Never in this class's memory
 *  BATCH                  a {@linkplain Batch batch}
 *  LONG                   the payload of one of the {@link LongMessages}. Never in this class's memory
 * </pre>
 */
final class TransportMessage {
    static final int SIGNAL = 1;
    static final int SERVED = 2;
    static final int WIRE_UP_REQUEST = 3;
    static final int WIRE_UP_REPLY = 4;
    static final int WIRE_UP_ACKNOWLEDGEMENT = 5;
    static final int ACTIVE = 6;
    static final int ACTIVE_HEADER = 7;
    static final int ACTIVE_PAYLOAD = 8;
    static final int BATCH = 9;
    static final int LONG = 10;

    /** Fits one fragment of shared memory, 8,256 bytes, with UCX's own headers. */
    static final int CAPACITY = 8128;

    /** The maximum data of one message of emulated remote memory access, which may travel in a batch. */
    static final int DATA_MAX = CAPACITY - ServedMessage.HEADER_MAX - Batch.RECORDS - Batch.RECORD_PAYLOAD;

    static final int SIGNAL_LENGTH = Long.BYTES;

    private static final int REQUEST_LENGTH = WireUpSeal.LENGTH + Long.BYTES;
    static final int KIND_SHIFT = 32;
    /** The target of an active message: the handler number, and the header's length above it. */
    private static final int TARGET_SHIFT = 16;

    private static final int TARGET_MASK = 0xFFFF;
    /** The epoch of lanes is in place of a target. */
    static final long EPOCH_MASK = TARGET_MASK;

    private static final int NUMBER_BITS = 8;
    private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;
    static final long ENDPOINT_MASK = 0xFFFF;

    final MemorySegment memory;
    final long address;
    /** The used length. */
    int length;
    /** The kind; for an outgoing message set when it is sent. */
    int kind;
    /** For an outgoing message of emulated remote memory access: whether it is an answer. */
    boolean answer;
    /** For an incoming message: whether it is complete. */
    boolean here;
    /** For a batch that is kept until the peer has reported it: whether UCX uses it, and whether the peer has. */
    boolean inUcx;

    boolean acknowledged;

    /** The index of its capacity in the {@linkplain MessagePool pool}, and the next one there. */
    final int pool;

    @Nullable TransportMessage next;

    TransportMessage(Arena arena, int capacity, int pool) {
        memory = arena.allocate(capacity, Long.BYTES);
        address = memory.address();
        this.pool = pool;
    }

    static long tag(int kind, int endpoint) {
        return (long) kind << KIND_SHIFT | endpoint;
    }

    /** The tag of a batch or a long payload, which only the receiver's lanes of one epoch accept. */
    static long laneTag(int kind, int epoch, int endpoint) {
        return tag(kind, endpoint) | (epoch & EPOCH_MASK) << TARGET_SHIFT;
    }

    /** The tag of a part of an active message. */
    static long activeTag(int kind, Operation operation, int endpoint) {
        return tag(kind, endpoint) | (long) target(operation) << TARGET_SHIFT;
    }

    /** The target of an active message. */
    static int target(Operation operation) {
        return target(operation.handler(), (int) operation.header().byteSize());
    }

    static int target(int handler, int headerLength) {
        return headerLength << NUMBER_BITS | handler;
    }

    /** Whether a kind is that of a part of an active message. */
    static boolean isActive(int kind) {
        return kind == ACTIVE || kind == ACTIVE_HEADER || kind == ACTIVE_PAYLOAD;
    }

    static int target(long tag) {
        return (int) (tag >>> TARGET_SHIFT) & TARGET_MASK;
    }

    static int number(int target) {
        return target & NUMBER_MASK;
    }

    static int headerLength(int target) {
        return target >>> NUMBER_BITS;
    }

    static int kind(long tag) {
        return (int) (tag >>> KIND_SHIFT);
    }

    static int endpoint(long tag) {
        return (int) (tag & ENDPOINT_MASK);
    }

    /** Whether a kind belongs to the wire-up, which precedes everything else. */
    static boolean isWireUp(int kind) {
        return kind == WIRE_UP_REQUEST || kind == WIRE_UP_REPLY || kind == WIRE_UP_ACKNOWLEDGEMENT;
    }

    void signal(long value) {
        memory.set(ValueLayout.JAVA_LONG, 0, value);
        length = SIGNAL_LENGTH;
    }

    /** The value of a signal. */
    long signal() {
        return memory.get(ValueLayout.JAVA_LONG, 0);
    }

    /** Fills a message of the wire-up. */
    void seal(byte[] seal) {
        MemorySegment.copy(seal, 0, memory, ValueLayout.JAVA_BYTE, 0, WireUpSeal.LENGTH);
        length = WireUpSeal.LENGTH;
    }

    /** Fills the header of an active message. */
    void header(Operation operation) {
        MemorySegment header = operation.header();
        length = (int) header.byteSize();
        MemorySegment.copy(header, 0, memory, 0, length);
    }

    /** Whether a received, well-formed message of the wire-up has a seal. */
    boolean hasSeal(byte[] seal) {
        return MessageDigest.isEqual(seal, memory.asSlice(0, WireUpSeal.LENGTH).toArray(ValueLayout.JAVA_BYTE));
    }

    /** Fills a request, with the number of the UCX endpoint between the two workers that sends it. */
    void request(byte[] seal, long number) {
        seal(seal);
        memory.set(ValueLayout.JAVA_LONG, WireUpSeal.LENGTH, number);
        length = REQUEST_LENGTH;
    }

    /** The number in a received request; 0 in other messages of the wire-up. */
    long endpointNumber() {
        return kind == WIRE_UP_REQUEST ? memory.get(ValueLayout.JAVA_LONG, WireUpSeal.LENGTH) : 0;
    }

    /** Fills a message of emulated remote memory access, with its data. */
    void served(ServedMessage message) {
        int header = message.headerLength();
        message.write(memory, 0);
        MemorySegment.copy(message.data(), message.dataOffset(), memory, header, message.dataLength());
        length = header + message.dataLength();
        answer = message.isAnswer();
    }

    /**
     * Whether a received message has the length of its kind; for emulated remote memory access only a partial check.
     */
    boolean isWellFormed() {
        return switch (kind) {
            case WIRE_UP_REQUEST -> length == REQUEST_LENGTH;
            case WIRE_UP_REPLY, WIRE_UP_ACKNOWLEDGEMENT -> length == WireUpSeal.LENGTH;
            case SIGNAL -> length == SIGNAL_LENGTH;
            case SERVED -> true;
            default -> false;
        };
    }
}
