package io.fairlead.netty;

import io.fairlead.ActiveMessage;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.Request;
import io.fairlead.Status;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.util.UncheckedBooleanSupplier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes that a channel receives. The stream copies a message to a buffer when the pipeline has asked for a read, and cuts it into buffers of the size that
 * the channel's {@link RecvByteBufAllocator} expects. Other messages are kept, which holds back the sender. A message of 0 bytes ends the stream.
 * On the loop's thread.
 */
final class StreamIn implements Streams.Stream {
    private static final Logger LOG = LoggerFactory.getLogger(StreamIn.class);

    /** How many buffers can be here unread. Further messages are kept. */
    private static final int BUFFERS_MAX = 32;
    /** How many bytes those buffers can have, within one message. */
    private static final long BYTES_MAX = 256 << 10;
    /** A peer that sends a longer message is no Netty channel. */
    private static final long MESSAGE_BYTES_MAX = 16 << 20;

    private final ChannelState state;
    private final Channel channel;
    /** What the pipeline has not read, the oldest first. */
    private final ArrayDeque<ByteBuf> buffers = new ArrayDeque<>();
    /** The messages behind those, with their senders' credits. */
    private final ArrayDeque<ActiveMessage> kept = new ArrayDeque<>();

    private final UncheckedBooleanSupplier hasMore = this::hasNext;
    private final ReadPace pace = new ReadPace();
    private long bytes;
    /** How often the pipeline had written when the previous turn began. */
    private long writesSeen;
    /** The rest of a buffer that is read in parts. */
    private @Nullable ByteBuf rest;
    /** The message between the buffers and those that are kept, whose payload is on its way. */
    private @Nullable Arriving arriving;

    /** The pipeline has asked for a read, and has received nothing since. */
    private boolean wanted;
    /** The worker had no free operation for a message. The next attempt follows its next progress. */
    private boolean blocked;
    /** The message that ends the stream is taken: nothing is behind the buffers. */
    private boolean lastTaken;
    /** The endpoint has ended: nothing more arrives. */
    private boolean ended;

    private @Nullable Throwable failure;
    /** What arrives behind a failure is discarded. */
    private boolean broken;

    /** Arriving bytes are discarded. Written on the loop's thread. */
    private volatile boolean shutdown;
    /** The pipeline has been notified that the input is shut down and read. */
    private boolean shutdownReported;

    private boolean closed;

    StreamIn(ChannelState state) {
        this.state = state;
        this.channel = state.channel();
    }

    // Called inside the worker's progress.

    @SuppressWarnings("ReferenceEquality") // A channel has one endpoint.
    @Override
    public boolean isOf(Endpoint endpoint) {
        return state.endpoint() == endpoint;
    }

    @Override
    public void received(ActiveMessage message) {
        if (isDiscarding()) {
            return;
        }
        if (!kept.isEmpty() || !accepts() || !tryTake(message)) {
            message.keep();
            kept.add(message);
        } else {
            state.proceedSoon();
        }
    }

    private boolean isDiscarding() {
        return closed || shutdown || broken;
    }

    /** Whether another message is taken now. */
    private boolean accepts() {
        return wanted && !lastTaken && arriving == null && buffers.size() < BUFFERS_MAX && bytes < BYTES_MAX;
    }

    /** Takes the next message, whose payload is copied or on its way then; false if the worker has no free operation for it. */
    private boolean tryTake(ActiveMessage message) {
        long length = message.length();
        if (length == 0) {
            lastTaken = true;
            return true;
        }
        try {
            if (length > MESSAGE_BYTES_MAX) {
                throw new IOException("message of the peer is too long for a channel: length=" + length + ", allowed "
                        + MESSAGE_BYTES_MAX + " bytes; is the peer a FairleadSocketChannel?");
            }
            if (!message.isWhole()) {
                return tryReceive(message, (int) length);
            }
            buffers.add(copied(message, (int) length));
            bytes += length;
        } catch (Throwable thrown) {
            fail(thrown);
        }
        return true;
    }

    /** Short messages are copied to arrays: pipelines read headers byte by byte, and that is faster from an array. */
    private ByteBuf copied(ActiveMessage message, int length) {
        boolean isShort = length <= Staging.COPY_MAX;
        ByteBuf buffer =
                isShort ? channel.alloc().heapBuffer(length) : channel.alloc().directBuffer(length, length);
        if (buffer.hasArray()) {
            MemorySegment.copy(
                    message.buffer(),
                    ValueLayout.JAVA_BYTE,
                    message.headerLength(),
                    buffer.array(),
                    buffer.arrayOffset(),
                    length);
        } else {
            MemorySegment.copy(message.buffer(), message.headerLength(), memory(buffer, length), 0, length);
        }
        return buffer.writerIndex(length);
    }

    /** The segment keeps the memory reachable, but does not keep it from returning to its allocator. */
    private static MemorySegment memory(ByteBuf buffer, int length) {
        return MemorySegment.ofBuffer(buffer.internalNioBuffer(0, length));
    }

    /** Receives a payload that is longer than what the peer sends at once; false if the worker has no free operation. */
    private boolean tryReceive(ActiveMessage message, int length) {
        ByteBuf buffer = channel.alloc().directBuffer(length, length);
        message.keep();
        Arriving receive = new Arriving(message, buffer, length);
        // Unless it says something else, nothing of the message will come.
        long posted = Endpoint.CLOSED;
        try {
            arriving = receive;
            posted = message.receive(memory(buffer, length), 0, length, receive, 0);
        } finally {
            if (posted < 0) {
                arriving = null;
                buffer.release();
            }
            if (posted < 0 && posted != Endpoint.BACK_PRESSURE) {
                message.release();
            }
        }
        if (posted < 0 && posted != Endpoint.BACK_PRESSURE) {
            fail(incomplete());
        }
        return posted != Endpoint.BACK_PRESSURE;
    }

    private static SocketException incomplete() {
        return new SocketException("Connection reset: a message of the peer did not arrive whole");
    }

    /** A payload on its way to its buffer. */
    private final class Arriving implements Completion.Immediate {
        private final ActiveMessage message;
        private final ByteBuf buffer;
        private final int length;

        Arriving(ActiveMessage message, ByteBuf buffer, int length) {
            this.message = message;
            this.buffer = buffer;
            this.length = length;
        }

        @Override
        public void completed(Request request) {
            arriving = null;
            message.release();
            if (isDiscarding()) {
                buffer.release();
            } else if (request.status() == Status.OK) {
                buffers.add(buffer.writerIndex(length));
                bytes += length;
            } else {
                buffer.release();
                fail(incomplete());
            }
            state.proceedSoon();
        }
    }

    /** The endpoint has closed, or has failed with a cause. Bytes that arrived before can still be read. */
    void end(@Nullable FairleadException cause) {
        ended = true;
        if (cause != null && failure == null && !lastTaken) {
            failure = reset(cause);
        }
    }

    private static SocketException reset(FairleadException cause) {
        SocketException reset = new SocketException("Connection reset: " + cause.getMessage());
        reset.initCause(cause);
        return reset;
    }

    private void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        ended = true;
        broken = true;
        releaseKept();
        state.proceedSoon();
    }

    // Called by the channel, outside of progress.

    /** The pipeline asks for a read. */
    void want() {
        wanted = true;
        seek();
        if (hasNext() || (shutdown && !shutdownReported)) {
            state.proceedSoon();
        }
    }

    /** The pipeline no longer asks for a read. */
    void unwant() {
        wanted = false;
    }

    /** As {@link #unwant()}, on any thread. */
    void unwantSoon() {
        if (channel.isRegistered() && !channel.eventLoop().inEventLoop()) {
            channel.eventLoop().execute(this::unwant);
        } else {
            unwant();
        }
    }

    /** Discards what is here and what arrives later. */
    void shutdown() {
        shutdown = true;
        discard();
    }

    /** Whether arriving bytes are discarded. On any thread. */
    boolean isShutdown() {
        return shutdown;
    }

    /** Whether the pipeline has been notified that the input is shut down and read. */
    boolean isExhausted() {
        return shutdownReported;
    }

    /** Discards what has not been read. */
    void close() {
        closed = true;
        ByteBuf left = rest;
        if (left != null) {
            rest = null;
            left.release();
        }
        discard();
    }

    /** Releases what is here. A payload on its way is released when its receive has ended. */
    private void discard() {
        buffers.forEach(ByteBuf::release);
        buffers.clear();
        bytes = 0;
        releaseKept();
    }

    private void releaseKept() {
        for (ActiveMessage message = kept.poll(); message != null; message = kept.poll()) {
            message.release();
        }
    }

    /** Takes messages that are kept, as many as the stream accepts now. */
    private void seek() {
        while (!kept.isEmpty() && accepts()) {
            ActiveMessage message = kept.element();
            if (!tryTake(message)) {
                block();
                return;
            }
            // A failure has released all.
            if (!kept.isEmpty()) {
                kept.remove();
                if (arriving == null) {
                    message.release();
                }
            }
        }
    }

    private void block() {
        LoopWorker loop = state.loop();
        if (!blocked && loop != null) {
            blocked = true;
            loop.block(this::seekAgain);
        }
    }

    private void seekAgain() {
        blocked = false;
        seek();
        if (hasNext()) {
            state.proceedSoon();
        }
    }

    /** Whether the pipeline has asked for a read, and a read would return something. */
    boolean isReading() {
        return wanted && !closed && hasNext();
    }

    /** Whether a read would return bytes, or the end of the stream. */
    private boolean hasNext() {
        return rest != null || !buffers.isEmpty() || atEnd();
    }

    private boolean atEnd() {
        return !closed
                && rest == null
                && buffers.isEmpty()
                && arriving == null
                && (lastTaken || (ended && kept.isEmpty()));
    }

    /**
     * Passes bytes to the pipeline in one round of reads, as large as the channel's configuration allows.
     *
     * @param writes how often the pipeline has written so far
     */
    void deliver(long writes) {
        if (shutdown) {
            discard();
            if (shutdownReported || !state.options().isAllowHalfClosure()) {
                wanted = false;
                return;
            }
        }
        if (!wanted || closed) {
            return;
        }
        seek();
        if (!hasNext() && !shutdown) {
            return;
        }
        ChannelPipeline pipeline = channel.pipeline();
        ExtendedHandle handle = (ExtendedHandle) channel.unsafe().recvBufAllocHandle();
        handle.reset(state.options());
        boolean last = false;
        int left = writes == writesSeen ? pace.beginWithoutAnswers() : pace.begin();
        writesSeen = writes;
        int had = 0;
        do {
            ByteBuf buffer = shutdown ? null : next(Math.min(handle.guess(), Math.max(left, ReadPace.BYTES_MIN)));
            if (buffer == null) {
                last = shutdown || atEnd();
                handle.lastBytesRead(last ? -1 : 0);
                break;
            }
            handle.attemptedBytesRead(Math.max(handle.guess(), buffer.readableBytes()));
            handle.lastBytesRead(buffer.readableBytes());
            handle.incMessagesRead(1);
            wanted = false;
            left -= buffer.readableBytes();
            had += buffer.readableBytes();
            pipeline.fireChannelRead(buffer);
        } while (left > 0 && handle.continueReading(hasMore) && hasNext());
        pace.end(had);
        if (last) {
            wanted = false;
        }
        handle.readComplete();
        pipeline.fireChannelReadComplete();
        if (last) {
            endRead(pipeline);
        }
        if (wanted && (hasNext() || (shutdown && !shutdownReported))) {
            state.proceedSoon();
        }
    }

    /** Returns the next bytes, at most {@code size}; null if there are none, or at the end of the stream. */
    private @Nullable ByteBuf next(int size) {
        ByteBuf from = rest == null ? buffers.poll() : rest;
        if (from == null) {
            return null;
        }
        int length = Math.max(1, size);
        if (from.readableBytes() > length) {
            rest = from;
            bytes -= length;
            return length <= Staging.COPY_MAX ? copy(from, length) : from.readRetainedSlice(length);
        }
        rest = null;
        bytes -= from.readableBytes();
        if (!from.isDirect() || from.readableBytes() > Staging.COPY_MAX) {
            return from;
        }
        try {
            return copy(from, from.readableBytes());
        } finally {
            from.release();
        }
    }

    /** Copies to an array, as short messages are. */
    private ByteBuf copy(ByteBuf from, int length) {
        return channel.alloc().heapBuffer(length).writeBytes(from, length);
    }

    /** Notifies the pipeline that all bytes have been read. */
    private void endRead(ChannelPipeline pipeline) {
        Throwable cause = failure;
        if (cause != null) {
            failure = null;
            LOG.debug("{} has failed", channel, cause);
            pipeline.fireExceptionCaught(cause);
            state.closeSoon();
        } else if (!shutdown) {
            if (state.options().isAllowHalfClosure()) {
                shutdown();
                pipeline.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            } else {
                state.closeSoon();
            }
        } else if (!shutdownReported) {
            shutdownReported = true;
            pipeline.fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        }
    }
}
