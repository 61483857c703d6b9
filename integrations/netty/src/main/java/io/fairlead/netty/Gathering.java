package io.fairlead.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gathers one message from the flushed buffers that are not under way. Short buffers are copied; longer ones become parts of a gathering send. */
final class Gathering implements ChannelOutboundBuffer.MessageProcessor {
    /** The limit of {@link io.fairlead.Endpoint#sendGather}. */
    private static final int PARTS_MAX = 64;

    private final List<MemorySegment> parts = new ArrayList<>();
    private final List<ByteBuf> owners = new ArrayList<>();
    private @Nullable Staging staging;
    /** Staged bytes from this offset on are no part yet. */
    private int stagedFrom;

    private long skip;
    private long bytes;
    private long bytesMax;

    /**
     * Gathers the next message.
     *
     * @param from the writes of the pipeline
     * @param into receives the copies
     * @param underWay how many bytes at the front of the writes have been posted before
     * @param bytesMax the longest message in bytes
     * @return false if there is nothing to send
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
        // The last part is kept for staged bytes.
        return bytes < bytesMax && parts.size() < PARTS_MAX - 1;
    }

    /** Makes the staged bytes a part, if there are any. */
    private void endStaged(Staging from) {
        if (from.length() > stagedFrom) {
            parts.add(from.range(stagedFrom, from.length()));
            stagedFrom = from.length();
        }
    }

    private void addParts(ByteBuf buffer, int index, int length) {
        if (buffer.nioBufferCount() == 1) {
            parts.add(MemorySegment.ofBuffer(buffer.internalNioBuffer(index, length)));
            bytes += length;
            return;
        }
        for (ByteBuffer part : buffer.nioBuffers(index, length)) {
            if (parts.size() >= PARTS_MAX - 1) {
                return;
            }
            if (part.hasRemaining()) {
                parts.add(MemorySegment.ofBuffer(part));
                bytes += part.remaining();
            }
        }
    }

    /** The message's length in bytes. */
    long bytes() {
        return bytes;
    }

    /** The parts of the message; empty if all of it is staged. */
    List<MemorySegment> parts() {
        return parts;
    }

    /** The buffers that the parts belong to, without the staged memory; valid until the next message is gathered. */
    List<ByteBuf> owners() {
        return owners;
    }
}
