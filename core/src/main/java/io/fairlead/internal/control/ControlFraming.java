package io.fairlead.internal.control;

import io.fairlead.FairleadException;
import io.fairlead.spi.LaneEndpoint;
import java.nio.ByteBuffer;

/**
 * Control frames on a separate stream, each preceded by its length in 2 bytes, little-endian. For connections that
 * no transport took. Nothing here allocates, except for failures. Buffers may have either byte order, which is not
 * changed.
 */
public final class ControlFraming {
    /** Bytes before each frame. */
    public static final int HEADER_LENGTH = 2;

    /** The maximum length of a frame in the stream, in bytes. */
    public static final int MAX_LENGTH = HEADER_LENGTH + ControlFrame.MAX_LENGTH;

    /** The same of a frame with a transport's bytes. */
    static final int LANE_MAX_LENGTH = HEADER_LENGTH + 1 + LaneEndpoint.FRAME_MAX;

    private ControlFraming() {}

    /**
     * Reserves the length of a frame, which the caller writes next and then {@linkplain #end ends}.
     *
     * @param target has a capacity of at least {@link #MAX_LENGTH} bytes
     * @return where the frame begins, for {@link #end}
     */
    public static int begin(ByteBuffer target) {
        int start = target.position();
        target.position(start + HEADER_LENGTH);
        return start;
    }

    /**
     * Writes the length before a frame that ends at the position.
     *
     * @param target the buffer that the frame was written to
     * @param start the result of {@link #begin}
     * @throws IllegalArgumentException if the length is not a frame's
     */
    public static void end(ByteBuffer target, int start) {
        int length = target.position() - start - HEADER_LENGTH;
        if (length < 1 || length > ControlFrame.MAX_LENGTH) {
            throw new IllegalArgumentException("not the length of a control frame: length=" + length + ", allowed 1 to "
                    + ControlFrame.MAX_LENGTH);
        }
        putLength(target, start, length);
    }

    private static void putLength(ByteBuffer target, int start, int length) {
        target.put(start, (byte) length).put(start + 1, (byte) (length >>> 8));
    }

    /**
     * Copies a frame into a stream.
     *
     * @param frame the frame and nothing else; read to its end
     * @param target has capacity for the frame and its length
     */
    public static void wrap(ByteBuffer frame, ByteBuffer target) {
        int start = begin(target);
        target.put(frame);
        end(target, start);
    }

    /**
     * Copies a transport's bytes into a stream, as a frame.
     *
     * @param bytes at most {@link LaneEndpoint#FRAME_MAX}; read to their end
     * @param target has capacity for {@link #LANE_MAX_LENGTH} bytes
     */
    static void wrapLane(ByteBuffer bytes, ByteBuffer target) {
        int start = begin(target);
        ControlFrame.lane(target);
        target.put(bytes);
        putLength(target, start, target.position() - start - HEADER_LENGTH);
    }

    /**
     * The length of the frame at a stream's position. Leaves the buffer unchanged.
     *
     * @param stream the bytes received so far
     * @return bytes of the frame without its {@value #HEADER_LENGTH} bytes of length, or -1 if the frame is not complete
     * @throws FairleadException {@code PROTOCOL_VIOLATION} as soon as the length is wrong
     */
    public static int frameLength(ByteBuffer stream) {
        return frameLength(stream, ControlFrame.MAX_LENGTH);
    }

    private static int frameLength(ByteBuffer stream, int max) {
        if (stream.remaining() < HEADER_LENGTH) {
            return -1;
        }
        int start = stream.position();
        int length = Byte.toUnsignedInt(stream.get(start)) | Byte.toUnsignedInt(stream.get(start + 1)) << 8;
        if (length < 1 || length > max) {
            throw new FairleadException(
                    FairleadException.Reason.PROTOCOL_VIOLATION,
                    "control frame has a wrong length: length=" + length + ", allowed 1 to " + max + " bytes");
        }
        return stream.remaining() < HEADER_LENGTH + length ? -1 : length;
    }

    /**
     * Passes every complete frame of a stream to a handler and leaves the position behind the last of them, for a
     * compaction.
     *
     * @param stream the bytes received so far
     * @param handler receives each frame in order; it must not change the buffer
     * @return the number of frames
     * @throws FairleadException {@code PROTOCOL_VIOLATION} at the first invalid frame; the handler got those before it
     */
    public static int dispatch(ByteBuffer stream, ControlFrame.Handler handler) {
        int frames = 0;
        int limit = stream.limit();
        int max = handler.takesLaneFrames() ? LANE_MAX_LENGTH - HEADER_LENGTH : ControlFrame.MAX_LENGTH;
        for (int length = frameLength(stream, max); length >= 0; length = frameLength(stream, max)) {
            int end = stream.position() + HEADER_LENGTH + length;
            stream.position(stream.position() + HEADER_LENGTH);
            stream.limit(end);
            try {
                ControlFrame.dispatch(stream, handler);
            } finally {
                stream.limit(limit);
            }
            frames++;
        }
        return frames;
    }
}
