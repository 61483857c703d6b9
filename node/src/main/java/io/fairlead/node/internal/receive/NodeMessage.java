package io.fairlead.node.internal.receive;

import io.fairlead.node.Message;
import io.fairlead.node.Peer;
import io.fairlead.node.internal.memory.NativePool;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A received message: on the heap, in a block of the pool, or in the caller's buffer. */
public final class NodeMessage implements Message {
    private static final VarHandle CLOSED;

    static {
        try {
            CLOSED = MethodHandles.lookup().findVarHandle(NodeMessage.class, "closed", boolean.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** Up to this length a copy to the heap costs less than memory that has to be released. */
    public static final long HEAP_MAX = 1 << 16;

    static final MemorySegment EMPTY = MemorySegment.ofArray(new long[0]);

    private final Peer source;
    private final long tag;
    private final MemorySegment segment;
    private final MessageContext context;
    private final NativePool.@Nullable Block block;

    @SuppressWarnings("unused") // By CLOSED.
    private volatile boolean closed;

    /** Owns the block from now on, if there is one. */
    NodeMessage(
            Peer source, long tag, MessageContext context, MemorySegment segment, NativePool.@Nullable Block block) {
        this.source = source;
        this.tag = tag;
        this.context = context;
        this.segment = segment;
        this.block = block;
    }

    /**
     * A message that has been received into a block, which is released here or kept by the message.
     *
     * @param filled null if the message is empty
     */
    public static NodeMessage of(
            Peer source, long tag, MessageContext context, NativePool.@Nullable Block filled, long length) {
        if (filled == null) {
            return new NodeMessage(source, tag, context, EMPTY, null);
        }
        if (length > HEAP_MAX) {
            return new NodeMessage(source, tag, context, filled.segment().asSlice(0, length), filled);
        }
        NodeMessage message = copyOf(source, tag, context, filled.segment(), 0, length);
        filled.release();
        return message;
    }

    /** A copy of a part of a segment, on the heap. */
    public static NodeMessage copyOf(
            Peer source, long tag, MessageContext context, MemorySegment filled, long offset, long length) {
        return new NodeMessage(source, tag, context, length == 0 ? EMPTY : toHeap(filled, offset, length), null);
    }

    /** Copies a part of a segment to the heap. */
    static MemorySegment toHeap(MemorySegment filled, long offset, long length) {
        // An array of longs, because the segment of an array of bytes allows no aligned access.
        MemorySegment words = MemorySegment.ofArray(new long[(int) ((length + Long.BYTES - 1) / Long.BYTES)]);
        MemorySegment heap = length == words.byteSize() ? words : words.asSlice(0, length);
        MemorySegment.copy(filled, offset, heap, 0, length);
        return heap;
    }

    @Override
    public MemorySegment segment() {
        if (closed) {
            throw new IllegalStateException("message is closed: tag=" + tag + ", source=" + source);
        }
        return segment;
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public Peer source() {
        return source;
    }

    @Override
    public MessageContext context() {
        return context;
    }

    @Override
    public byte[] bytes() {
        return segment().toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void close() {
        if (CLOSED.compareAndSet(this, false, true) && block != null) {
            block.release();
        }
    }

    @Override
    public String toString() {
        return "message[tag=" + tag + ", length=" + length() + ", source=" + source + "]";
    }
}
