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
 * byte of kind and the context. An application may use the frames' tag as well: its messages then have a frame before them that says so.
 */
final class ContextFrame {
    /** What a node's handler answers to {@link io.fairlead.spi.LayerHandler#features()}. */
    static final int FEATURE = 1;

    /** Not likely to be chosen by an application, which would pay for it with a frame for each message. */
    static final long TAG = 0x9E37_79B9_7F4AL;

    /** The context is that of the next message, or of none if that is a frame too. */
    static final int CONTEXT = 0;
    /** The same, and the next message is an application's, whatever its tag. */
    static final int VERBATIM = 1;

    static final int LENGTH_MIN = 2;
    static final int LENGTH_MAX = 1 + MessageContext.BYTES_MAX;

    private ContextFrame() {}

    static NativePool.Block write(int kind, byte[] context, NativePool pool) {
        NativePool.Block block = pool.stage(1L + context.length);
        block.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) kind);
        MemorySegment.copy(context, 0, block.segment(), ValueLayout.JAVA_BYTE, 1, context.length);
        return block;
    }

    static int kind(MemorySegment frame) {
        int kind = frame.get(ValueLayout.JAVA_BYTE, 0);
        if (kind != CONTEXT && kind != VERBATIM) {
            throw violation("kind=" + kind + ", allowed " + CONTEXT + " and " + VERBATIM);
        }
        return kind;
    }

    static void requireLength(long length) {
        if (length < LENGTH_MIN || length > LENGTH_MAX) {
            throw violation("length=" + length + ", allowed " + LENGTH_MIN + " to " + LENGTH_MAX + " bytes");
        }
    }

    private static FairleadException violation(String what) {
        return new FairleadException(Reason.PROTOCOL_VIOLATION, "frame of a message context is malformed: " + what);
    }
}
