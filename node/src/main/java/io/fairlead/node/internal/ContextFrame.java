package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How nodes send a message's context: in a message of its own, under a tag of its own, right before the message that it belongs to.
 *
 * <p>So the message itself, its tag and its length are what they would be without, it is received where the caller wants it, and what has no context
 * costs nothing. Nodes tell each other in the handshake that they know these frames; whoever does not is never sent one. A frame is one
 * byte of kind and the context. An application may use the frames' tag as well: right before such a message goes a frame that says so, and that the receiver
 * knows by its length, before it has read it.
 */
final class ContextFrame {
    /** What a node's handler answers to {@link io.fairlead.spi.LayerHandler#features()}. */
    static final int FEATURE = 1;

    /** Not likely to be chosen by an application, which would pay for it with a frame for each message. */
    static final long TAG = 0x9E37_79B9_7F4AL;

    /** Of a frame that says nothing but that the next message is an application's, whatever its tag. */
    static final int VERBATIM_LENGTH = 1;

    private static final int LENGTH_MAX = 1 + MessageContext.BYTES_MAX;
    /** The context is that of the next message, or of none if that is a frame with a context too. */
    private static final byte CONTEXT = 0;

    private static final byte VERBATIM = 1;

    private ContextFrame() {}

    /** A frame with a context. */
    static NativePool.Block write(byte[] context, NativePool pool) {
        NativePool.Block block = pool.stage(1L + context.length);
        block.segment().set(ValueLayout.JAVA_BYTE, 0, CONTEXT);
        MemorySegment.copy(context, 0, block.segment(), ValueLayout.JAVA_BYTE, 1, context.length);
        return block;
    }

    /** A frame that says that the next message is an application's. */
    static NativePool.Block writeVerbatim(NativePool pool) {
        NativePool.Block block = pool.stage(VERBATIM_LENGTH);
        block.segment().set(ValueLayout.JAVA_BYTE, 0, VERBATIM);
        return block;
    }

    /** The context in a frame; empty in one that has none. */
    static MessageContext read(MemorySegment frame, long length) {
        byte kind = frame.get(ValueLayout.JAVA_BYTE, 0);
        byte expected = length == VERBATIM_LENGTH ? VERBATIM : CONTEXT;
        if (kind != expected) {
            throw violation("kind=" + kind + ", allowed " + expected + " at length=" + length + " bytes");
        }
        return length == VERBATIM_LENGTH ? MessageContext.EMPTY : MessageContext.decode(frame, 1, length - 1);
    }

    static boolean isLength(long length) {
        return length >= VERBATIM_LENGTH && length <= LENGTH_MAX;
    }

    static FairleadException wrongLength(long length) {
        return violation("length=" + length + ", allowed " + VERBATIM_LENGTH + " to " + LENGTH_MAX + " bytes");
    }

    private static FairleadException violation(String what) {
        return new FairleadException(Reason.PROTOCOL_VIOLATION, "frame of a message context is malformed: " + what);
    }
}
