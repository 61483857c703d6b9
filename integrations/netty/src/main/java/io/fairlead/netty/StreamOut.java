package io.fairlead.netty;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.netty.util.internal.StringUtil;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a channel sends. What is flushed is gathered into messages that the peer takes as eager ones; a promise succeeds when the send
 * of its last byte has completed, and until then its buffer counts as pending. On the loop's thread.
 */
final class StreamOut implements LoopWorker.Ready {
    /** So many messages are under way at once; a longer queue gathers meanwhile. */
    private static final int FLIGHTS_MAX = 16;

    private final FairleadSocketChannel channel;
    private final ArrayDeque<Flight> flights = new ArrayDeque<>();
    private final ArrayDeque<Flight> free = new ArrayDeque<>();
    private final Gathering gathering = new Gathering();
    /** The message that found no room, and goes first when there is some; it belongs to no one else until then. */
    private @Nullable Flight refused;
    /** What the pipeline has written; kept while it closes, when the pipeline has let go of it. */
    private @Nullable ChannelOutboundBuffer written;
    /** The bytes of {@link #written} that are under way. */
    private long underWay;
    /** Promises are being told, which may flush again. */
    private boolean settling;
    /** The loop tries again after its next progress. */
    private boolean blocked;
    /** A send has failed, with the endpoint. */
    private boolean broken;

    private boolean endWanted;
    private boolean endSent;
    private int messageMax = 1;

    StreamOut(FairleadSocketChannel channel) {
        this.channel = channel;
    }

    /** What can be sent of what is written: memory that a worker reads, or a region of a file. */
    static Object checkMessage(Object message, ByteBufAllocator allocator) {
        if (message instanceof ByteBuf buffer) {
            if (buffer.readableBytes() <= Staging.COPY_MAX || (buffer.isDirect() && buffer.nioBufferCount() > 0)) {
                return buffer;
            }
            ByteBuf copy = allocator.directBuffer(Math.max(1, buffer.readableBytes()));
            copy.writeBytes(buffer, buffer.readerIndex(), buffer.readableBytes());
            buffer.release();
            return copy;
        }
        if (message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("unsupported message type: " + StringUtil.simpleClassName(message)
                + " (expected: ByteBuf, FileRegion); put an encoder in front");
    }

    /** Sends go as messages of this length at most. */
    void connected(int bytesMax) {
        messageMax = bytesMax;
    }

    /** Whether the pipeline has to wait with its next flush. */
    boolean isSettling() {
        return settling;
    }

    /** Whether sends are under way. */
    boolean isUnderWay() {
        return !flights.isEmpty();
    }

    /** Whether a send has failed with the endpoint. */
    boolean isBroken() {
        return broken;
    }

    /** Whether all has been posted that can be for now. */
    boolean isStuck() {
        return blocked || broken;
    }

    /** Whether something that was flushed is not posted yet, for which there may be room now. */
    boolean hasMore() {
        ChannelOutboundBuffer from = written;
        return from != null && !from.isEmpty() && !isStuck() && flights.size() < FLIGHTS_MAX;
    }

    /** Posts what has been flushed, as far as there is room. */
    void write(ChannelOutboundBuffer from) throws IOException {
        written = from;
        Endpoint endpoint = channel.endpoint();
        if (endpoint == null || blocked || channel.isReadingRest()) {
            return;
        }
        for (int posts = channel.options().getWriteSpinCount(); posts > 0; posts--) {
            Flight flight = next(from);
            if (flight == null || !tryPost(endpoint, flight)) {
                return;
            }
            settle();
        }
        // Others want their turn.
        channel.proceedSoon();
    }

    /** The next message; null if there is none, or it has to wait for others. */
    private @Nullable Flight next(ChannelOutboundBuffer from) throws IOException {
        Flight waiting = refused;
        if (waiting != null) {
            refused = null;
            return waiting;
        }
        Object first = skipEmpty(from);
        if (first == null || flights.size() == FLIGHTS_MAX) {
            return null;
        }
        if (first instanceof FileRegion region) {
            return flights.isEmpty()
                    ? takeFlight().of(region, FileReads.read(region, channel.alloc(), messageMax))
                    : null;
        }
        return isFileUnderWay() ? null : gather(from);
    }

    private @Nullable Flight gather(ChannelOutboundBuffer from) throws IOException {
        LoopWorker loop = Objects.requireNonNull(channel.loop(), "loop");
        Staging staging = loop.takeStaging();
        boolean some = false;
        try {
            some = gathering.gather(from, staging, underWay, messageMax);
        } finally {
            if (!some) {
                loop.giveBack(staging);
            }
        }
        return some ? takeFlight().of(gathering, staging) : null;
    }

    /** The first write that has bytes, if none is under way; those without are done. */
    private @Nullable Object skipEmpty(ChannelOutboundBuffer from) {
        Object first = from.current();
        while (flights.isEmpty() && isEmpty(first)) {
            from.remove();
            first = from.current();
        }
        return first;
    }

    private static boolean isEmpty(@Nullable Object message) {
        return message instanceof ByteBuf buffer
                ? !buffer.isReadable()
                : message instanceof FileRegion region && region.count() == 0;
    }

    private boolean isFileUnderWay() {
        return !flights.isEmpty() && flights.element().isOfFile();
    }

    private boolean tryPost(Endpoint endpoint, Flight flight) throws IOException {
        flights.add(flight);
        underWay += flight.bytes();
        long posted = flight.post(endpoint);
        if (posted > 0) {
            return true;
        }
        flights.removeLast();
        underWay -= flight.bytes();
        refused = flight;
        if (posted == Endpoint.BACK_PRESSURE) {
            block();
        } else if (!channel.notes().isEnded()) {
            // Not connected yet; or the peer has left, and what it sent before is still to be read.
            broken |= posted != Endpoint.NOT_CONNECTED;
        } else if (posted != Endpoint.NOT_CONNECTED) {
            throw new IOException("Broken pipe: the peer has closed the connection, or it has failed; status="
                    + Status.of(posted) + ", peer=" + channel.remoteAddress());
        }
        return false;
    }

    private void block() {
        LoopWorker loop = channel.loop();
        if (!blocked && loop != null) {
            blocked = true;
            loop.block(this);
        }
    }

    private Flight takeFlight() {
        return free.isEmpty() ? new Flight(channel) : free.remove();
    }

    /** Tries again what found no room. */
    @Override
    public void proceed() {
        blocked = false;
        if (endWanted) {
            tryEnd();
        }
        channel.proceedSoon();
    }

    /** Posts more of what was flushed before the channel began to close. */
    void pump() {
        ChannelOutboundBuffer from = written;
        if (from != null) {
            try {
                write(from);
            } catch (IOException closed) {
                broken = true;
            }
        }
    }

    /** Lets go of what has been sent, and tells its promises. */
    void settle() {
        if (settling) {
            return;
        }
        settling = true;
        try {
            while (!flights.isEmpty() && flights.element().isDone()) {
                Flight flight = flights.remove();
                underWay -= flight.bytes();
                ChannelOutboundBuffer from = written;
                if (!flight.isSent()) {
                    broken = true;
                } else if (from != null) {
                    flight.remove(from);
                }
                flight.clear();
                free.add(flight);
            }
        } finally {
            settling = false;
        }
    }

    /** Sends the end of the stream behind everything that has been posted. */
    void end() {
        endWanted = true;
        tryEnd();
    }

    private void tryEnd() {
        Endpoint endpoint = channel.endpoint();
        if (endSent || endpoint == null) {
            return;
        }
        long posted = endpoint.send(MemorySegment.NULL, 0, 0, PostedReads.TAG, Completion.IGNORE, 0);
        if (posted == Endpoint.BACK_PRESSURE) {
            block();
        } else {
            endSent = true;
        }
    }

    /** The channel is closed. Buffers of sends that are under way are kept until these have completed. */
    void close() {
        written = null;
        endWanted = false;
        Flight waiting = refused;
        if (waiting != null) {
            refused = null;
            waiting.clear();
        }
    }
}
