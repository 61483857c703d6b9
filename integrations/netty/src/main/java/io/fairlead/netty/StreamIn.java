package io.fairlead.netty;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
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
import java.net.SocketException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes that a channel receives. The stream takes a message when the pipeline has asked for a read, and cuts it into buffers of the size that the
 * channel's {@link RecvByteBufAllocator} expects. Other messages wait at the worker, which holds back the sender. A message of 0 bytes ends the stream.
 * On the loop's thread.
 */
final class StreamIn implements PostedReads.Stream {
    private static final Logger LOG = LoggerFactory.getLogger(StreamIn.class);

    /** How many messages can be here unread. Further ones wait at the worker. */
    private static final int MESSAGES_MAX = 32;
    /** How many bytes those messages can have, within one message. */
    private static final long BYTES_MAX = 256 << 10;
    /** A peer that sends a longer message is no Netty channel. */
    private static final long MESSAGE_BYTES_MAX = 16 << 20;

    private final ChannelState state;
    private final Channel channel;
    private final ArrayDeque<PostedReads.Read> messages = new ArrayDeque<>();
    private final UncheckedBooleanSupplier hasMore = this::hasNext;
    private final ReadPace pace = new ReadPace();
    private long bytes;
    /** How often the pipeline had written when the previous turn began. */
    private long writesSeen;
    /** The rest of a message that is read in parts. */
    private @Nullable ByteBuf rest;

    /** The pipeline has asked for a read, and has received nothing since. */
    private boolean wanted;
    /** Messages can wait at the worker, because this stream did not want them when they came. */
    private boolean waits;
    /** The worker had no free operation to search for them. The next search follows its next progress. */
    private boolean blocked;
    /** The message that ends the stream has matched. */
    private boolean lastTaken;
    /** The pipeline has read everything before the end of the stream. */
    private boolean finished;
    /** The endpoint has ended: nothing more arrives. */
    private boolean ended;

    private @Nullable Throwable failure;

    /** Arriving bytes are discarded. Written on the loop's thread. */
    private volatile boolean shutdown;
    /** The pipeline has been notified that the input is shut down and read. */
    private boolean shutdownReported;

    private boolean closed;

    StreamIn(ChannelState state) {
        this.state = state;
        this.channel = state.channel();
    }

    // Called by receives, inside the worker's progress.

    @SuppressWarnings("ReferenceEquality") // A channel has one endpoint.
    @Override
    public boolean isOf(Endpoint endpoint) {
        return state.endpoint() == endpoint;
    }

    @Override
    public boolean accepts() {
        if (closed || shutdown) {
            return true;
        }
        if (wanted && !lastTaken && messages.size() < MESSAGES_MAX && bytes < BYTES_MAX) {
            return true;
        }
        waits = true;
        return false;
    }

    @Override
    public MemorySegment begin(PostedReads.Read read, long length) {
        messages.add(read);
        if (length == 0) {
            lastTaken = true;
            return MemorySegment.NULL;
        }
        if (closed || shutdown) {
            return MemorySegment.NULL;
        }
        try {
            if (length > MESSAGE_BYTES_MAX) {
                throw new IOException("message of the peer is too long for a channel: length=" + length + ", allowed "
                        + MESSAGE_BYTES_MAX + " bytes; is the peer a FairleadSocketChannel?");
            }
            ByteBuf buffer = channel.alloc().directBuffer((int) length, (int) length);
            buffer.writerIndex((int) length);
            read.use(buffer);
            bytes += length;
            // The segment keeps the memory reachable, but does not keep it from returning to its allocator.
            return MemorySegment.ofBuffer(buffer.internalNioBuffer(0, (int) length));
        } catch (Throwable thrown) {
            fail(thrown);
            return MemorySegment.NULL;
        }
    }

    @Override
    public void arrived(PostedReads.Read read) {
        if (closed) {
            discard();
        } else if (wanted || shutdown) {
            state.proceedSoon();
        }
    }

    /** The endpoint has closed, or has failed with a cause. Bytes that arrived before can still be read. */
    void end(@Nullable FairleadException cause) {
        ended = true;
        // Messages of the same progress can have found no receive, and so have not been offered.
        waits = true;
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
        seek();
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
        seek();
    }

    /** Recycles the messages that are here. A message that still arrives is recycled when its receive has ended. */
    private void discard() {
        while (!messages.isEmpty() && messages.element().isWhole()) {
            PostedReads.Read read = messages.remove();
            ByteBuf buffer = read.take();
            if (buffer != null) {
                bytes -= buffer.readableBytes();
                buffer.release();
            }
            read.recycle();
        }
    }

    /** Takes messages that wait at the worker, if the stream accepts them now. */
    private void seek() {
        while (waits) {
            waits = false;
            if (!accepts()) {
                return;
            }
            LoopWorker loop = state.loop();
            if (loop == null) {
                return;
            }
            switch (loop.reads().find()) {
                case FOUND -> waits = true;
                case NONE -> {
                    // Later messages are offered to this stream.
                }
                case NO_ROOM -> {
                    waits = true;
                    block(loop);
                    return;
                }
            }
        }
    }

    private void block(LoopWorker loop) {
        if (!blocked) {
            blocked = true;
            loop.block(this::seekAgain);
        }
    }

    private void seekAgain() {
        blocked = false;
        seek();
        if (!waits || hasNext()) {
            state.proceedSoon();
        }
    }

    /** Whether the pipeline has asked for a read, and a read would return something. */
    boolean isReading() {
        return wanted && !closed && hasNext();
    }

    /** Whether a read would return bytes, or the end of the stream. */
    private boolean hasNext() {
        return rest != null || (!messages.isEmpty() && messages.element().isWhole()) || atEnd();
    }

    private boolean atEnd() {
        return !closed && ended && !waits && messages.isEmpty() && rest == null;
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
                last = shutdown || finished || atEnd();
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
        ByteBuf from = rest;
        while (from == null) {
            if (messages.isEmpty() || !messages.element().isWhole()) {
                return null;
            }
            PostedReads.Read read = messages.remove();
            from = read.take();
            boolean whole = read.status() == Status.OK;
            read.recycle();
            if (from == null || !whole) {
                if (from != null) {
                    bytes -= from.readableBytes();
                    from.release();
                    from = null;
                    fail(new SocketException("Connection reset: a message of the peer did not arrive whole"));
                }
                if (whole && lastTaken && messages.isEmpty()) {
                    finished = true;
                    return null;
                }
            }
        }
        int length = Math.max(1, size);
        if (from.readableBytes() > length) {
            rest = from;
            bytes -= length;
            return length <= Staging.COPY_MAX ? copy(from, length) : from.readRetainedSlice(length);
        }
        rest = null;
        bytes -= from.readableBytes();
        if (from.readableBytes() > Staging.COPY_MAX) {
            return from;
        }
        try {
            return copy(from, from.readableBytes());
        } finally {
            from.release();
        }
    }

    /** Copies to an array: pipelines read headers byte by byte, and that is faster from an array by more than the copy costs. */
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
