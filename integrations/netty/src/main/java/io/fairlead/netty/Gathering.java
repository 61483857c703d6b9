package io.fairlead.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects one message from the buffers that are flushed and not under way yet: short ones by a copy, the memory of the others as it is.
 */
final class Gathering implements ChannelOutboundBuffer.MessageProcessor {
    /** What {@link io.fairlead.Endpoint#sendGather} takes. */
    private static final int PARTS_MAX = 64;

    private final List<MemorySegment> parts = new ArrayList<>();
    private final List<ByteBuf> owners = new ArrayList<>();
    private @Nullable Staging staging;
    /** What is staged from here on is no part yet. */
    private int stagedFrom;

    private long skip;
    private long bytes;
    private long bytesMax;

    /**
     * Collects anew; false if there is nothing to send.
     *
     * @param into takes the copies
     * @param underWay how many bytes from the first one on are sent already
     * @param bytesMax the longest message
     */
    boolean gather(ChannelOutboundBuffer from, Staging into, long underWay, long bytesMax) throws IOException {
        parts.clear();
        owners.clear();
        into.clear();
        staging = into;
        stagedFrom = 0;
        this.skip = underWay;
        this.bytes = 0;
        this.bytesMax = bytesMax;
        try {
            from.forEachFlushedMessage(this);
        } catch (Exception thrown) {
            throw new IOException("what was written cannot be read any more: " + thrown, thrown);
        } finally {
            staging = null;
        }
        if (!parts.isEmpty()) {
            endStaged(into);
        }
        return bytes > 0;
    }

    @Override
    public boolean processMessage(Object message) {
        Staging into = staging;
        if (!(message instanceof ByteBuf buffer) || into == null) {
            return false;
        }
        int readable = buffer.readableBytes();
        if (skip >= readable) {
            skip -= readable;
            return true;
        }
        int offset = (int) skip;
        skip = 0;
        int length = (int) Math.min(readable - offset, bytesMax - bytes);
        int index = buffer.readerIndex() + offset;
        if (readable > Staging.COPY_MAX) {
            endStaged(into);
            owners.add(buffer);
            addParts(buffer, index, length);
        } else if (into.hasRoom(length)) {
            into.add(buffer, index, length);
            bytes += length;
        } else {
            return false;
        }
        // One is kept for what may be staged.
        return bytes < bytesMax && parts.size() < PARTS_MAX - 1;
    }

    /** What has been staged becomes a part, if it is anything. */
    private void endStaged(Staging from) {
        if (from.length() > stagedFrom) {
            parts.add(from.range(stagedFrom, from.length()));
            stagedFrom = from.length();
        }
    }

    private void addParts(ByteBuf buffer, int index, int length) {
        if (buffer.nioBufferCount() == 1) {
            parts.add(Segments.of(buffer, index, length));
            bytes += length;
            return;
        }
        for (ByteBuffer part : buffer.nioBuffers(index, length)) {
            if (parts.size() >= PARTS_MAX - 1) {
                return;
            }
            if (part.hasRemaining()) {
                parts.add(Segments.of(part));
                bytes += part.remaining();
            }
        }
    }

    /** Bytes of the message. */
    long bytes() {
        return bytes;
    }

    /** The memory of a message that is not all staged; empty if it is. */
    List<MemorySegment> parts() {
        return parts;
    }

    /** The buffers that the memory belongs to, but for what is staged; valid until the next message is gathered. */
    List<ByteBuf> owners() {
        return owners;
    }
}
