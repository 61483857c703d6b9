package io.fairlead.netty;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.netty.buffer.ByteBuf;
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
 * The bytes that a channel receives. A message is taken from the peer when the pipeline has asked for a read, and cut into buffers of the
 * size that the channel's {@link RecvByteBufAllocator} expects; what is not asked for stays at the worker, which lets the sender wait. A message of
 * 0 bytes ends the stream. On the loop's thread.
 */
final class StreamIn {
    private static final Logger LOG = LoggerFactory.getLogger(StreamIn.class);

    /** A stream's messages that have arrived and are not read yet. Beyond that they stay at the worker. */
    private static final int MESSAGES_MAX = 32;
    /** The bytes of such messages, about. */
    private static final long BYTES_MAX = 256 << 10;
    /** A peer that sends a longer message is no channel of Netty's. */
    private static final long MESSAGE_BYTES_MAX = 16 << 20;

    private final FairleadSocketChannel channel;
    private final ArrayDeque<PostedReads.Read> messages = new ArrayDeque<>();
    private final UncheckedBooleanSupplier hasMore = this::hasNext;
    private final ReadPace pace = new ReadPace();
    private long bytes;
    /** What the pipeline had written when the turn before this one began. */
    private long writesSeen;
    /** The rest of a message that is read in parts. */
    private @Nullable ByteBuf rest;

    /** The pipeline has asked for a read that has brought nothing yet. */
    private boolean wanted;
    /** Messages may be waiting at the worker that this stream did not want when they came. */
    private boolean waits;
    /** The worker had no room to look for them; it is asked again after its next progress. */
    private boolean blocked;
    /** The last message has been taken. */
    private boolean lastTaken;
    /** The pipeline has had everything up to the last message. */
    private boolean finished;
    /** The endpoint has ended: nothing more arrives. */
    private boolean ended;

    private @Nullable Throwable failure;

    private boolean shutdown;
    /** The pipeline has been told that all has been read. */
    private boolean completeTold;

    private boolean closed;

    StreamIn(FairleadSocketChannel channel) {
        this.channel = channel;
    }

    // Asked and told by receives, inside the worker's progress.

    /** Whether the stream takes another message now. */
    boolean accepts() {
        if (closed || shutdown) {
            return true;
        }
        if (wanted && !lastTaken && messages.size() < MESSAGES_MAX && bytes < BYTES_MAX) {
            return true;
        }
        waits = true;
        return false;
    }

    /** A message of this length is taken; where it goes. */
    MemorySegment begin(PostedReads.Read read, long length) {
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
            return Segments.of(buffer, 0, (int) length);
        } catch (Throwable thrown) {
            fail(thrown);
            return MemorySegment.NULL;
        }
    }

    /** A message is here whole, or its receive has failed. */
    void arrived(PostedReads.Read read) {
        if (closed) {
            discard();
        } else if (wanted || shutdown) {
            channel.proceedSoon();
        }
    }

    /** The endpoint has ended, by a goodbye or with a cause; what had arrived can still be read. */
    void end(@Nullable FairleadException cause) {
        ended = true;
        // Messages that came in the same progress as the end may have found no receive, and so have not been offered.
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
        channel.proceedSoon();
    }

    // Asked by the channel, outside of progress.

    /** The pipeline wants to read. */
    void want() {
        wanted = true;
        seek();
        if (hasNext() || (shutdown && !completeTold)) {
            channel.proceedSoon();
        }
    }

    /** The pipeline does not want to read any more. */
    void unwant() {
        wanted = false;
    }

    /** The same, from any thread. */
    void unwantSoon() {
        if (channel.isRegistered() && !channel.eventLoop().inEventLoop()) {
            channel.eventLoop().execute(this::unwant);
        } else {
            unwant();
        }
    }

    /** From now on what arrives is discarded. */
    void shutdown() {
        shutdown = true;
        discard();
        seek();
    }

    /** Whether the pipeline has read everything and been told so. */
    boolean isExhausted() {
        return completeTold;
    }

    /** Gives up what has not been read. */
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

    /** Recycles what is here and will not be read; what is still arriving is recycled when it is here. */
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

    /** Has the worker look for messages that came when they were not wanted. */
    private void seek() {
        while (waits) {
            waits = false;
            if (!accepts()) {
                return;
            }
            LoopWorker loop = channel.loop();
            if (loop == null) {
                return;
            }
            switch (loop.reads().find()) {
                case FOUND -> waits = true;
                case NONE -> {
                    // What comes from now on is offered.
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
            channel.proceedSoon();
        }
    }

    /** Whether the pipeline has asked for what is here. */
    boolean isReading() {
        return wanted && !closed && hasNext();
    }

    /** Whether a read would bring bytes, or the end. */
    private boolean hasNext() {
        return rest != null || (!messages.isEmpty() && messages.element().isWhole()) || atEnd();
    }

    private boolean atEnd() {
        return !closed && ended && !waits && messages.isEmpty() && rest == null;
    }

    /** One round of reads, as large as the channel's configuration allows. */
    void deliver() {
        if (shutdown) {
            discard();
            if (completeTold || !channel.options().isAllowHalfClosure()) {
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
        handle.reset(channel.options());
        boolean last = false;
        long writes = channel.writes();
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
        if (wanted && (hasNext() || (shutdown && !completeTold))) {
            channel.proceedSoon();
        }
    }

    /** The next bytes, no more than asked for; null if there are none, or the end is reached. */
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

    /** Pipelines read headers byte by byte, which is faster from an array: more so than a copy costs. */
    private ByteBuf copy(ByteBuf from, int length) {
        return channel.alloc().heapBuffer(length).writeBytes(from, length);
    }

    /** All bytes have been read. */
    private void endRead(ChannelPipeline pipeline) {
        Throwable cause = failure;
        if (cause != null) {
            failure = null;
            LOG.debug("{} has failed", channel, cause);
            pipeline.fireExceptionCaught(cause);
            channel.closeSoon();
        } else if (!shutdown) {
            if (channel.options().isAllowHalfClosure()) {
                channel.endInput();
                pipeline.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            } else {
                channel.closeSoon();
            }
        } else if (!completeTold) {
            completeTold = true;
            pipeline.fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        }
    }
}
