package io.fairlead.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the memory of one message from the buffers that are flushed and not under way yet. */
final class Gathering implements ChannelOutboundBuffer.MessageProcessor {
    /** What {@link io.fairlead.Endpoint#sendGather} takes. */
    private static final int PARTS_MAX = 64;

    private final List<MemorySegment> segments = new ArrayList<>();
    private final List<ByteBuf> owners = new ArrayList<>();
    private long skip;
    private long bytes;
    private long bytesMax;

    /**
     * Collects anew; false if there is nothing to send.
     *
     * @param underWay how many bytes from the first one on are sent already
     * @param bytesMax the longest message
     */
    boolean gather(ChannelOutboundBuffer from, long underWay, long bytesMax) throws IOException {
        segments.clear();
        owners.clear();
        this.skip = underWay;
        this.bytes = 0;
        this.bytesMax = bytesMax;
        try {
            from.forEachFlushedMessage(this);
        } catch (Exception thrown) {
            throw new IOException("what was written cannot be read any more: " + thrown, thrown);
        }
        return bytes > 0;
    }

    @Override
    public boolean processMessage(Object message) {
        if (!(message instanceof ByteBuf buffer)) {
            return false;
        }
        int readable = buffer.readableBytes();
        if (skip >= readable) {
            skip -= readable;
            return true;
        }
        int offset = (int) skip;
        skip = 0;
        add(buffer, buffer.readerIndex() + offset, readable - offset);
        return bytes < bytesMax && segments.size() < PARTS_MAX;
    }

    private void add(ByteBuf buffer, int index, int readable) {
        int length = (int) Math.min(readable, bytesMax - bytes);
        owners.add(buffer);
        if (buffer.nioBufferCount() == 1) {
            segments.add(Segments.of(buffer, index, length));
            bytes += length;
            return;
        }
        for (ByteBuffer part : buffer.nioBuffers(index, length)) {
            if (segments.size() == PARTS_MAX) {
                return;
            }
            if (part.hasRemaining()) {
                segments.add(Segments.of(part));
                bytes += part.remaining();
            }
        }
    }

    /** Bytes of the message. */
    long bytes() {
        return bytes;
    }

    /** The memory of a message of one part; null if it has several. */
    @Nullable MemorySegment single() {
        return segments.size() == 1 ? segments.getFirst() : null;
    }

    /** The memory of a message of several parts; null if it has one. */
    MemorySegment @Nullable [] parts() {
        return segments.size() == 1 ? null : segments.toArray(MemorySegment[]::new);
    }

    /** The buffers that the memory belongs to; valid until the next message is gathered. */
    List<ByteBuf> owners() {
        return owners;
    }
}
