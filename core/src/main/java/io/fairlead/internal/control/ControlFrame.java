package io.fairlead.internal.control;

import io.fairlead.FairleadException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The messages between the engines at both ends of a connected endpoint. A frame is 1 byte of type and, except for a
 * disconnect, a 64-bit number, little-endian. A frame of a lane has bytes of the transport instead. Nothing here allocates, except for failures. Buffers may have either byte
 * order, which is not changed.
 */
public final class ControlFrame {
    /** The maximum length of a frame, in bytes. */
    public static final int MAX_LENGTH = 1 + Long.BYTES;

    private static final byte PING = 1;
    private static final byte PONG = 2;
    private static final byte CREDIT = 3;
    private static final byte DISCONNECT = 4;
    private static final byte REVOKE = 5;
    private static final byte WAKE = 6;
    private static final byte WITHDRAW = 7;
    private static final byte LANE = 8;

    private static final int DISCONNECT_LENGTH = 1;

    /** Receives the frames of a peer. */
    public interface Handler {
        /** The peer requests a sign of life. */
        void ping(long sequence);

        /** The peer answers the ping of that sequence. */
        void pong(long sequence);

        /** The peer grants more bytes, 1 and up. */
        void credit(long bytes);

        /** The peer sends nothing more and closes. */
        void disconnect();

        /** The peer has closed a region. */
        void revoke(long regionId);

        /**
         * The peer has withdrawn rights to a region: keys that were issued to this side alone no longer suffice, and
         * the peer must be asked.
         */
        void withdraw(long regionId);

        /**
         * The peer has written something to shared memory that a waiting worker would not notice; the frame has ended
         * the wait.
         */
        void wake();

        /**
         * The transport's bytes, for an endpoint that may leave its lanes.
         *
         * @param bytes from position to limit, valid during the call
         */
        default void lane(ByteBuffer bytes) {
            throw new IllegalStateException("frames of lanes are not accepted: length=" + bytes.remaining());
        }

        /** Whether frames of lanes are accepted. */
        default boolean takesLaneFrames() {
            return false;
        }
    }

    private ControlFrame() {}

    /** Writes a frame that requests a sign of life. */
    public static void ping(ByteBuffer target, long sequence) {
        write(target, PING, sequence);
    }

    /** Writes the answer to a ping. */
    public static void pong(ByteBuffer target, long sequence) {
        write(target, PONG, sequence);
    }

    /**
     * Writes a frame that grants bytes.
     *
     * @throws IllegalArgumentException if it grants nothing
     */
    public static void credit(ByteBuffer target, long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("credit must be positive: bytes=" + bytes);
        }
        write(target, CREDIT, bytes);
    }

    /** Writes the last frame of this side, which closes. */
    public static void disconnect(ByteBuffer target) {
        target.put(DISCONNECT);
    }

    /** Writes a frame that reports a closed region. */
    public static void revoke(ByteBuffer target, long regionId) {
        write(target, REVOKE, regionId);
    }

    /** Writes a frame that withdraws rights to a region from the keys that are bound to the peer's endpoint. */
    public static void withdraw(ByteBuffer target, long regionId) {
        write(target, WITHDRAW, regionId);
    }

    /** Writes a frame that ends the wait of the peer's worker. */
    public static void wake(ByteBuffer target) {
        write(target, WAKE, 0);
    }

    /** Writes the beginning of a frame that the transport's bytes follow. */
    public static void lane(ByteBuffer target) {
        target.put(LANE);
    }

    /**
     * Reads one frame and calls the handler.
     *
     * @param frame the frame and nothing else, from position to limit; read to its end
     * @param handler receives it, by exactly one call
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if the frame is invalid; the handler was not called
     */
    public static void dispatch(ByteBuffer frame, Handler handler) {
        int length = frame.remaining();
        if (length == 0) {
            throw violation("control frame is empty: length=0 bytes");
        }
        int position = frame.position();
        byte type = frame.get(position);
        if (type == LANE && length > 1 && handler.takesLaneFrames()) {
            frame.position(position + 1);
            handler.lane(frame);
            frame.position(frame.limit());
            return;
        }
        if (type < PING || type > WITHDRAW) {
            throw violation("unknown control frame: type=" + Byte.toUnsignedInt(type) + ", allowed " + PING + " to "
                    + WITHDRAW);
        }
        int expected = type == DISCONNECT ? DISCONNECT_LENGTH : MAX_LENGTH;
        if (length != expected) {
            throw violation("control frame has a wrong length: type=" + type + ", length=" + length + ", expected "
                    + expected + " bytes");
        }
        long number = type == DISCONNECT ? 0 : littleEndian(frame, frame.getLong(position + 1));
        if (type == CREDIT && number <= 0) {
            throw violation("credit must be positive: bytes=" + number);
        }
        frame.position(frame.limit());
        switch (type) {
            case PING -> handler.ping(number);
            case PONG -> handler.pong(number);
            case CREDIT -> handler.credit(number);
            case DISCONNECT -> handler.disconnect();
            case REVOKE -> handler.revoke(number);
            case WAKE -> handler.wake();
            case WITHDRAW -> handler.withdraw(number);
            default -> throw new AssertionError("type=" + type);
        }
    }

    private static void write(ByteBuffer target, byte type, long number) {
        if (target.remaining() < MAX_LENGTH) {
            // Checked first: a buffer that is too small stays unchanged, without half a frame.
            throw new BufferOverflowException();
        }
        target.put(type).putLong(littleEndian(target, number));
    }

    private static long littleEndian(ByteBuffer buffer, long value) {
        return buffer.order() == ByteOrder.LITTLE_ENDIAN ? value : Long.reverseBytes(value);
    }

    private static FairleadException violation(String message) {
        return new FairleadException(FairleadException.Reason.PROTOCOL_VIOLATION, message);
    }
}
