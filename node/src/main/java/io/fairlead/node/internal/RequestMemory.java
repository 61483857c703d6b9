package io.fairlead.node.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.node.internal.NativePool.Block;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a request or a reply is sent from: one block with header, payload and context, or, for long native memory, that memory in place between the two. A block with
 * a payload counts in the {@link ByteRoom} that was asked for it.
 */
final class RequestMemory {
    /** Up to here a copy costs less than gathering, and frees the caller's memory at once. */
    private static final long COPY_MAX = 8192;

    static final byte[] NO_CONTEXT = new byte[0];

    /** Of a request that has none yet. */
    static final RequestMemory NONE = new RequestMemory(null, null, 0, 0, 0, null);

    private @Nullable Block block;
    private final @Nullable MemorySegment inPlace;
    private final int header;
    private final long length;
    private final int contextLength;
    private @Nullable ByteRoom room;
    private boolean released;

    private RequestMemory(
            @Nullable Block block,
            @Nullable MemorySegment inPlace,
            int header,
            long length,
            int contextLength,
            @Nullable ByteRoom room) {
        this.room = room;
        this.block = block;
        this.inPlace = inPlace;
        this.header = header;
        this.length = length;
        this.contextLength = contextLength;
    }

    /**
     * A request with its context.
     *
     * @param mayBorrow whether long native memory may be sent in place
     * @param room has {@link #copiedBytes} for it already
     */
    static RequestMemory request(
            MemorySegment message, boolean mayBorrow, byte[] context, ProgressLoop loop, ByteRoom room) {
        boolean inPlace = mayBorrow && isInPlace(message, loop);
        return of(message, inPlace, RequestFrame.HEADER_LENGTH, context, loop, room);
    }

    /**
     * A reply, which has no header.
     *
     * @param room has {@link #copiedBytes} for it already
     */
    static RequestMemory reply(MemorySegment message, ProgressLoop loop, ByteRoom room) {
        return of(message, isInPlace(message, loop), 0, NO_CONTEXT, loop, room);
    }

    /** The room that the copy of a message needs; 0 if it is sent in place, whose header and context are short. */
    static long copiedBytes(MemorySegment message, boolean mayBorrow, int header, byte[] context, ProgressLoop loop) {
        long copied = header + message.byteSize() + context.length;
        return copied == 0 || (mayBorrow && isInPlace(message, loop)) ? 0 : NativePool.sizeOf(copied);
    }

    private static boolean isInPlace(MemorySegment message, ProgressLoop loop) {
        return isLongNative(message) && message.isAccessibleBy(loop.thread());
    }

    private static RequestMemory of(
            MemorySegment message, boolean inPlace, int header, byte[] context, ProgressLoop loop, ByteRoom room) {
        long length = message.byteSize();
        long staged = header + context.length + (inPlace ? 0 : length);
        if (staged == 0) {
            return new RequestMemory(null, inPlace ? message : null, header, length, 0, null);
        }
        Block block;
        try {
            block = loop.node().pool().stage(staged);
        } catch (OutOfMemoryError none) {
            throw Failures.noMemory("a message", staged, none);
        }
        try {
            long contextOffset = header;
            if (!inPlace) {
                MemorySegment.copy(message, 0, block.segment(), header, length);
                contextOffset += length;
            }
            MemorySegment.copy(context, 0, block.segment(), ValueLayout.JAVA_BYTE, contextOffset, context.length);
        } catch (Throwable closed) {
            block.release();
            throw closed;
        }
        return new RequestMemory(
                block, inPlace ? message : null, header, length, context.length, inPlace ? null : room);
    }

    /** Whether memory is sent in place by a thread that can access it. */
    static boolean isLongNative(MemorySegment message) {
        return message.byteSize() > COPY_MAX && message.isNative();
    }

    /** A block that is filled already. */
    static RequestMemory of(Block block, long length) {
        return new RequestMemory(block, null, 0, length, 0, null);
    }

    /** Whether the caller's memory is in use while the send lasts. */
    boolean isInPlace() {
        return inPlace != null;
    }

    /** Sends it as a request, whose header is written now. */
    long send(Endpoint endpoint, long frameTag, long service, long timeLeftNs, Completion completion) {
        Block filled = Objects.requireNonNull(block, "block");
        MemorySegment segment = filled.segment();
        RequestFrame.writeHeader(segment, service, contextLength, timeLeftNs);
        if (inPlace == null) {
            return endpoint.send(segment, 0, header + length + contextLength, frameTag, completion, 0);
        }
        MemorySegment[] parts = contextLength == 0
                ? new MemorySegment[] {segment.asSlice(0, header), inPlace}
                : new MemorySegment[] {segment.asSlice(0, header), inPlace, segment.asSlice(header, contextLength)};
        return endpoint.sendGather(parts, frameTag, completion, 0);
    }

    /** Sends it as it is. */
    long send(Endpoint endpoint, long frameTag, Completion completion) {
        if (inPlace != null) {
            return endpoint.send(inPlace, 0, length, frameTag, completion, 0);
        }
        MemorySegment segment = block == null ? MemorySegment.NULL : block.segment();
        return endpoint.send(segment, 0, length, frameTag, completion, 0);
    }

    /** Gives back what was staged; false if that has happened. */
    boolean release() {
        if (released) {
            return false;
        }
        released = true;
        Block taken = block;
        if (taken != null) {
            block = null;
            taken.release();
        }
        ByteRoom from = room;
        if (from != null) {
            room = null;
            from.giveBack(NativePool.sizeOf(header + length + contextLength));
        }
        return true;
    }
}
