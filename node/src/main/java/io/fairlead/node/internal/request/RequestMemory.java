package io.fairlead.node.internal.request;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.frame.RequestFrame;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.memory.ByteLimit;
import io.fairlead.node.internal.memory.NativePool;
import io.fairlead.node.internal.memory.NativePool.Block;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory that a request or an answer is sent from: one block with header, payload and context. Long native memory is sent in place, and the block
 * has the rest. A block with a payload counts in its {@link ByteLimit}. The object stays with its block, so no holder uses it behind its
 * {@link #release}.
 */
public final class RequestMemory {
    /** Up to here a copy costs less than gathering, and frees the caller's memory at once. */
    private static final long COPY_MAX = 8192;

    static final byte[] NO_CONTEXT = new byte[0];

    private final Block block;
    private @Nullable MemorySegment inPlace;
    private int header;
    private long length;
    private int contextLength;
    private @Nullable ByteLimit limit;
    /** Bytes that count in the limit. */
    private long counted;

    private RequestMemory(Block block) {
        this.block = block;
    }

    /** A block with room for header, payload and context. */
    private static RequestMemory of(Block block, int header, long length, int contextLength) {
        RequestMemory memory;
        if (block.attachment() instanceof RequestMemory known) {
            memory = known;
        } else {
            memory = new RequestMemory(block);
            block.attach(memory);
        }
        memory.header = header;
        memory.length = length;
        memory.contextLength = contextLength;
        return memory;
    }

    /**
     * Takes memory for a message. What is copied counts in the limit of the peer; what is sent in place does not, because header and context are short.
     *
     * @param mayBorrow whether long native memory may be sent in place
     * @param futile checked while this waits; true if the message is no longer wanted
     * @return null if the limit stayed reached
     * @throws FairleadException if there is no native memory
     */
    static @Nullable RequestMemory tryTake(
            PeerRequests requests,
            MemorySegment message,
            boolean mayBorrow,
            int header,
            byte[] context,
            long patienceNs,
            BooleanSupplier futile) {
        ProgressLoop loop = requests.loop();
        boolean inPlace = mayBorrow && isLongNative(message) && message.isAccessibleBy(loop.thread());
        long length = message.byteSize();
        long staged = header + context.length + (inPlace ? 0 : length);
        long counted = inPlace ? 0 : NativePool.sizeOf(staged);
        ByteLimit limit = requests.byteLimit();
        if (counted > 0 && !limit.tryTake(counted, patienceNs, futile)) {
            return null;
        }
        RequestMemory memory;
        try {
            memory = of(loop.group().pool().stage(staged), header, length, context.length);
        } catch (OutOfMemoryError none) {
            limit.giveBack(counted);
            throw Failures.noMemory("a message", staged, none);
        }
        memory.limit = limit;
        memory.counted = counted;
        memory.inPlace = inPlace ? message : null;
        try {
            memory.fill(message, context);
        } catch (Throwable closed) {
            memory.release();
            throw closed;
        }
        return memory;
    }

    private void fill(MemorySegment message, byte[] context) {
        MemorySegment target = block.segment();
        if (inPlace == null) {
            MemorySegment.copy(message, 0, target, header, length);
        }
        if (contextLength > 0) {
            long offset = inPlace == null ? header + length : header;
            MemorySegment.copy(context, 0, target, ValueLayout.JAVA_BYTE, offset, contextLength);
        }
    }

    /** Whether memory is sent in place by a thread that can access it. */
    public static boolean isLongNative(MemorySegment message) {
        return message.byteSize() > COPY_MAX && message.isNative();
    }

    /** A block with room for the header of an answer or a cancel, and with a payload behind that. */
    static RequestMemory of(Block block, long length) {
        return of(block, RequestFrame.HEADER_LENGTH, length, 0);
    }

    /** Whether the caller's memory is in use while the send lasts. */
    boolean isInPlace() {
        return inPlace != null;
    }

    /** Sends it as a request. */
    long sendRequest(Endpoint endpoint, int id, long service, long timeLeftNs, Completion completion) {
        RequestFrame.writeRequestHeader(block.segment(), id, service, contextLength, timeLeftNs);
        return send(endpoint, completion);
    }

    /** Sends it as a reply. */
    long sendReply(Endpoint endpoint, int id, Completion completion) {
        RequestFrame.writeReplyHeader(block.segment(), id, contextLength);
        return send(endpoint, completion);
    }

    /** Sends it as a refusal or a notice. */
    long send(Endpoint endpoint, int kind, int id, Completion completion) {
        RequestFrame.writeHeader(block.segment(), kind, id);
        return send(endpoint, completion);
    }

    private long send(Endpoint endpoint, Completion completion) {
        MemorySegment front = block.header(header);
        MemorySegment message = inPlace;
        if (message == null) {
            return endpoint.sendActive(
                    RequestFrame.HANDLER, front, block.segment(), header, length + contextLength, completion, 0);
        }
        if (contextLength == 0) {
            return endpoint.sendActive(RequestFrame.HANDLER, front, message, 0, length, completion, 0);
        }
        MemorySegment[] payload = {message, block.segment().asSlice(header, contextLength)};
        return endpoint.sendActiveGather(RequestFrame.HANDLER, front, payload, completion, 0);
    }

    /** Gives back what was staged; exactly once. */
    void release() {
        ByteLimit from = limit;
        long bytes = counted;
        limit = null;
        counted = 0;
        inPlace = null;
        block.release();
        if (from != null && bytes > 0) {
            from.giveBack(bytes);
        }
    }
}
