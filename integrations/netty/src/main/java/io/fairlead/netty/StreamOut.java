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
 * The bytes that a channel sends. Flushed bytes are gathered into messages, which are short enough to be eager. A promise succeeds when the send of its
 * last byte has completed; until then its buffer counts as pending. On the loop's thread.
 */
final class StreamOut implements LoopWorker.Ready {
    /** How many messages can be under way at once. Later writes are gathered into larger messages meanwhile. */
    private static final int FLIGHTS_MAX = 16;

    private final ChannelState state;
    private final EndpointNotes notes;
    private final ArrayDeque<Flight> flights = new ArrayDeque<>();
    private final ArrayDeque<Flight> free = new ArrayDeque<>();
    private final Gathering gathering = new Gathering();
    /** The message that the endpoint refused. It goes first when the endpoint has capacity. */
    private @Nullable Flight refused;
    /** The writes of the pipeline. They are kept while the channel closes, when the pipeline no longer has them. */
    private @Nullable ChannelOutboundBuffer written;
    /** The bytes of {@link #written} that are under way. */
    private long underWay;
    /** Promises are being completed, and their listeners can flush again. */
    private boolean settling;
    /** The loop retries after its next progress. */
    private boolean blocked;
    /** A send has failed because the endpoint has ended. */
    private boolean broken;

    private boolean endWanted;
    private boolean endSent;
    private int messageMax = 1;
    private long writes;

    StreamOut(ChannelState state, EndpointNotes notes) {
        this.state = state;
        this.notes = notes;
    }

    /** Converts a write into what the stream can send: memory that a worker can read, or a region of a file. */
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

    /** The endpoint is connected; sets the longest message in bytes. */
    void connected(int bytesMax) {
        messageMax = bytesMax;
    }

    /** Whether promises are being completed, so that a flush has to wait. */
    boolean isSettling() {
        return settling;
    }

    /** Whether sends are under way. */
    boolean isUnderWay() {
        return !flights.isEmpty();
    }

    /** Whether a send has failed because the endpoint has ended. */
    boolean isBroken() {
        return broken;
    }

    /** Whether flushed bytes are not posted yet, and the endpoint can have capacity for them now. */
    boolean hasMore() {
        ChannelOutboundBuffer from = written;
        return from != null && !from.isEmpty() && !blocked && !broken && flights.size() < FLIGHTS_MAX;
    }

    /** How often the pipeline has flushed. */
    long writes() {
        return writes;
    }

    /** The pipeline has flushed: posts what the endpoint has capacity for. */
    void write(ChannelOutboundBuffer from) throws IOException {
        writes++;
        postFlushed(from);
    }

    private void postFlushed(ChannelOutboundBuffer from) throws IOException {
        written = from;
        Endpoint endpoint = state.endpoint();
        if (endpoint == null || blocked || notes.isReadingRest()) {
            return;
        }
        for (int posts = state.options().getWriteSpinCount(); posts > 0; posts--) {
            Flight flight = next(from);
            if (flight == null || !tryPost(endpoint, flight)) {
                return;
            }
            settle();
        }
        // Other channels have their turn first.
        state.proceedSoon();
    }

    /** Returns the next message; null if there is none, or it has to wait for those under way. */
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
                    ? takeFlight()
                            .of(region, FileReads.read(region, state.channel().alloc(), messageMax))
                    : null;
        }
        return isFileUnderWay() ? null : gather(from);
    }

    private @Nullable Flight gather(ChannelOutboundBuffer from) throws IOException {
        LoopWorker loop = Objects.requireNonNull(state.loop(), "loop");
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

    /** Returns the first write; if nothing is under way, completes the empty writes before it. */
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
        } else if (!notes.isEnded()) {
            // The endpoint is not connected yet; or the peer has gone, and its last bytes are still to be read.
            broken |= posted != Endpoint.NOT_CONNECTED;
        } else if (posted != Endpoint.NOT_CONNECTED) {
            throw new IOException("Broken pipe: the peer has closed the connection, or it has failed; status="
                    + Status.of(posted) + ", peer=" + state.channel().remoteAddress());
        }
        return false;
    }

    private void block() {
        LoopWorker loop = state.loop();
        if (!blocked && loop != null) {
            blocked = true;
            loop.block(this);
        }
    }

    private Flight takeFlight() {
        return free.isEmpty() ? new Flight(state) : free.remove();
    }

    /** Retries after back-pressure. */
    @Override
    public void proceed() {
        blocked = false;
        if (endWanted) {
            tryEnd();
        }
        state.proceedSoon();
    }

    /** Posts more of the writes that were flushed before the channel began to close. */
    void pump() {
        ChannelOutboundBuffer from = written;
        if (from != null) {
            try {
                postFlushed(from);
            } catch (IOException closed) {
                broken = true;
            }
        }
    }

    /** Releases the messages whose sends have completed, and completes their promises. */
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

    /** Sends the end of the stream after everything that has been posted. */
    void end() {
        endWanted = true;
        tryEnd();
    }

    private void tryEnd() {
        Endpoint endpoint = state.endpoint();
        if (endSent || endpoint == null) {
            return;
        }
        long posted = endpoint.sendActive(
                Streams.HANDLER, MemorySegment.NULL, MemorySegment.NULL, 0, 0, Completion.IGNORE, 0);
        if (posted == Endpoint.BACK_PRESSURE) {
            block();
        } else {
            endSent = true;
        }
    }

    /** The channel is closed. A send under way keeps its buffers until it has completed. */
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
