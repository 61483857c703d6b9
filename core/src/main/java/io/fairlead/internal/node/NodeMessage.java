package io.fairlead.internal.node;

import io.fairlead.Message;
import io.fairlead.Peer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A received message: on the heap, in a block of the pool, or in the caller's buffer. */
final class NodeMessage implements Message {
    private final Peer source;
    private final long tag;
    private final MemorySegment segment;
    private final NativePool.@Nullable Block block;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Takes over the block, if there is one. */
    NodeMessage(Peer source, long tag, MemorySegment segment, NativePool.@Nullable Block block) {
        this.source = source;
        this.tag = tag;
        this.segment = segment;
        this.block = block;
    }

    @Override
    public MemorySegment segment() {
        if (closed.get()) {
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
    public byte[] bytes() {
        return segment().toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true) && block != null) {
            block.release();
        }
    }

    @Override
    public String toString() {
        return "message[tag=" + tag + ", length=" + length() + ", source=" + source + "]";
    }
}
