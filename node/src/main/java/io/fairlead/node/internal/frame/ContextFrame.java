package io.fairlead.node.internal.frame;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.internal.memory.NativePool;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How nodes send a message's context: in a separate message with a reserved tag, right before the message that it belongs to.
 *
 * <p>So the message keeps its tag, its length and its buffer, and a message without a context costs nothing. Nodes announce in the handshake
 * that they support these frames; other peers are never sent one. A frame is one byte of kind and the context. An application may use the
 * frames' tag as well. Such a message follows a frame that says so, which the receiver recognizes by its length before it reads it.
 */
public final class ContextFrame {
    /** What a node's handler answers to {@link io.fairlead.spi.LayerHandler#features()}. */
    public static final int FEATURE = 1;

    /** An application is unlikely to choose it. If it does, each of its messages costs a frame. */
    public static final long TAG = 0x9E37_79B9_7F4AL;

    /** Length of a frame that says only that the next message is an application's, whatever its tag. */
    public static final int VERBATIM_LENGTH = 1;

    private static final int LENGTH_MAX = 1 + MessageContext.BYTES_MAX;
    /** The context belongs to the next message, unless that is a frame with a context too. */
    private static final byte CONTEXT = 0;

    private static final byte VERBATIM = 1;

    private ContextFrame() {}

    /** A frame with a context. */
    public static NativePool.Block write(byte[] context, NativePool pool) {
        NativePool.Block block = pool.stage(1L + context.length);
        block.segment().set(ValueLayout.JAVA_BYTE, 0, CONTEXT);
        MemorySegment.copy(context, 0, block.segment(), ValueLayout.JAVA_BYTE, 1, context.length);
        return block;
    }

    /** A frame that says that the next message is an application's. */
    public static NativePool.Block writeVerbatim(NativePool pool) {
        NativePool.Block block = pool.stage(VERBATIM_LENGTH);
        block.segment().set(ValueLayout.JAVA_BYTE, 0, VERBATIM);
        return block;
    }

    /** The context in a frame; empty in one that has none. */
    public static MessageContext read(MemorySegment frame, long length) {
        byte kind = frame.get(ValueLayout.JAVA_BYTE, 0);
        byte expected = length == VERBATIM_LENGTH ? VERBATIM : CONTEXT;
        if (kind != expected) {
            throw violation("kind=" + kind + ", allowed " + expected + " at length=" + length + " bytes");
        }
        return length == VERBATIM_LENGTH ? MessageContext.EMPTY : MessageContext.decode(frame, 1, length - 1);
    }

    public static boolean isLength(long length) {
        return length >= VERBATIM_LENGTH && length <= LENGTH_MAX;
    }

    public static FairleadException wrongLength(long length) {
        return violation("length=" + length + ", allowed " + VERBATIM_LENGTH + " to " + LENGTH_MAX + " bytes");
    }

    private static FairleadException violation(String what) {
        return new FairleadException(Reason.PROTOCOL_VIOLATION, "frame of a message context is malformed: " + what);
    }
}
