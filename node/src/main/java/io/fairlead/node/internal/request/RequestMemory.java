package io.fairlead.node.internal.request;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.frame.RequestFrame;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.memory.ByteLimit;
import io.fairlead.node.internal.memory.NativePool;
import io.fairlead.node.internal.memory.NativePool.Block;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The memory that a request or an answer is sent from: one block with header, payload and context. Long native memory is sent in place, and the block
 * has the rest. A block with a payload counts in its {@link ByteLimit}.
 */
public final class RequestMemory {
    /** Up to here a copy costs less than gathering, and frees the caller's memory at once. */
    private static final long COPY_MAX = 8192;

    static final byte[] NO_CONTEXT = new byte[0];

    /** Stands for the memory of a request that has none yet. */
    static final RequestMemory NONE = new RequestMemory(null, null, 0, 0, 0, null);

    private @Nullable Block block;
    private final @Nullable MemorySegment inPlace;
    private final int header;
    private final long length;
    private final int contextLength;
    private @Nullable ByteLimit limit;
    private boolean released;

    private RequestMemory(
            @Nullable Block block,
            @Nullable MemorySegment inPlace,
            int header,
            long length,
            int contextLength,
            @Nullable ByteLimit limit) {
        this.limit = limit;
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
     * @param limit where {@link #copiedBytes} are taken already
     */
    static RequestMemory request(
            MemorySegment message, boolean mayBorrow, byte[] context, ProgressLoop loop, ByteLimit limit) {
        boolean inPlace = mayBorrow && isInPlace(message, loop);
        return of(message, inPlace, RequestFrame.REQUEST_HEADER_LENGTH, context, loop, limit);
    }

    /**
     * A reply.
     *
     * @param limit where {@link #copiedBytes} are taken already
     */
    static RequestMemory reply(MemorySegment message, ProgressLoop loop, ByteLimit limit) {
        return of(message, isInPlace(message, loop), RequestFrame.HEADER_LENGTH, NO_CONTEXT, loop, limit);
    }

    /** The bytes that the copy of a message takes; 0 if it is sent in place, because header and context are short. */
    static long copiedBytes(MemorySegment message, boolean mayBorrow, int header, byte[] context, ProgressLoop loop) {
        return mayBorrow && isInPlace(message, loop)
                ? 0
                : NativePool.sizeOf(header + message.byteSize() + context.length);
    }

    private static boolean isInPlace(MemorySegment message, ProgressLoop loop) {
        return isLongNative(message) && message.isAccessibleBy(loop.thread());
    }

    private static RequestMemory of(
            MemorySegment message, boolean inPlace, int header, byte[] context, ProgressLoop loop, ByteLimit limit) {
        long length = message.byteSize();
        long staged = header + context.length + (inPlace ? 0 : length);
        Block block;
        try {
            block = loop.group().pool().stage(staged);
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
                block, inPlace ? message : null, header, length, context.length, inPlace ? null : limit);
    }

    /** Whether memory is sent in place by a thread that can access it. */
    public static boolean isLongNative(MemorySegment message) {
        return message.byteSize() > COPY_MAX && message.isNative();
    }

    /** A block with room for the header of an answer or a cancel, and with a payload behind that. */
    static RequestMemory of(Block block, long length) {
        return new RequestMemory(block, null, RequestFrame.HEADER_LENGTH, length, 0, null);
    }

    /** Whether the caller's memory is in use while the send lasts. */
    boolean isInPlace() {
        return inPlace != null;
    }

    /** Sends it as a request. */
    long sendRequest(Endpoint endpoint, int id, long service, long timeLeftNs, Completion completion) {
        Block filled = Objects.requireNonNull(block, "block");
        RequestFrame.writeRequestHeader(filled.segment(), id, service, contextLength, timeLeftNs);
        return send(filled, endpoint, completion);
    }

    /** Sends it as an answer or a cancel. */
    long send(Endpoint endpoint, int kind, int id, Completion completion) {
        Block filled = Objects.requireNonNull(block, "block");
        RequestFrame.writeHeader(filled.segment(), kind, id);
        return send(filled, endpoint, completion);
    }

    private long send(Block filled, Endpoint endpoint, Completion completion) {
        MemorySegment front = filled.header(header);
        MemorySegment message = inPlace;
        if (message == null) {
            return endpoint.sendActive(
                    RequestFrame.HANDLER, front, filled.segment(), header, length + contextLength, completion, 0);
        }
        if (contextLength == 0) {
            return endpoint.sendActive(RequestFrame.HANDLER, front, message, 0, length, completion, 0);
        }
        MemorySegment[] payload = {message, filled.segment().asSlice(header, contextLength)};
        return endpoint.sendActiveGather(RequestFrame.HANDLER, front, payload, completion, 0);
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
        ByteLimit from = limit;
        if (from != null) {
            limit = null;
            from.giveBack(NativePool.sizeOf(header + length + contextLength));
        }
        return true;
    }
}
