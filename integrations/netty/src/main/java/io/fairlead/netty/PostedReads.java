package io.fairlead.netty;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.MatchHandler;
import io.fairlead.MessageInfo;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The receives of an event loop, which all of its channels share. Each receive takes the next message of any channel that wants one. When the length is
 * known, the channel's allocator supplies the buffer, so idle channels hold no buffers. On the loop's thread.
 *
 * <p>At the end of each turn at least one receive is posted that no message has matched. A message that its channel did not want has therefore been
 * offered to the channel ({@link Stream#accepts()}), and the channel knows that it waits at the worker.
 */
final class PostedReads {
    /** The tag of all messages: a byte stream has one order. */
    static final long TAG = 0x6e65_7474_7900L;
    /** How many messages can arrive in one progress without waiting for the next. */
    private static final int POSTED_MAX = 16;

    /** The stream that takes the messages of one endpoint. Called inside the worker's progress. */
    interface Stream {
        /** Whether this is the stream of an endpoint. */
        boolean isOf(Endpoint endpoint);

        /** Whether the stream takes another message now. */
        boolean accepts();

        /** A message of this length has matched; returns the memory for it, or {@link MemorySegment#NULL} to discard it. */
        MemorySegment begin(Read read, long length);

        /** The receive has ended: the message has arrived whole, or the receive has failed. */
        void arrived(Read read);
    }

    /** The result of a search for a message that waits at the worker. */
    enum Look {
        /** There was one, and a receive has taken it. */
        FOUND,
        /** No message waits for a channel that wants one. */
        NONE,
        /** The worker has no free operation for the search. The next progress frees some. */
        NO_ROOM
    }

    private final Worker worker;
    /** How many receives are posted. As many operations remain for searches. */
    private final int wanted;
    /** By the endpoint's id. */
    private @Nullable Stream[] streams = new @Nullable Stream[64];

    private final ArrayDeque<Read> free = new ArrayDeque<>();
    private int posted;
    private boolean ended;

    PostedReads(Worker worker, int operationsMax) {
        this.worker = worker;
        this.wanted = Math.clamp(operationsMax / 2, 1, POSTED_MAX);
    }

    /** The stream takes the messages of an endpoint from now on. */
    void add(Endpoint endpoint, Stream stream) {
        int id = endpoint.id();
        if (id >= streams.length) {
            streams = Arrays.copyOf(streams, Math.max(id + 1, 2 * streams.length));
        }
        streams[id] = stream;
    }

    /** The endpoint has ended; the rest of its messages is discarded. */
    void remove(Endpoint endpoint) {
        if (stream(endpoint) != null) {
            streams[endpoint.id()] = null;
        }
    }

    /** The stream of an endpoint; null after its removal. */
    private @Nullable Stream stream(Endpoint endpoint) {
        int id = endpoint.id();
        Stream stream = id < streams.length ? streams[id] : null;
        // A later endpoint can have the same id.
        return stream != null && stream.isOf(endpoint) ? stream : null;
    }

    /** Posts the missing receives, as far as the worker takes them. */
    void replenish() {
        while (posted < wanted && !ended) {
            if (post() == null) {
                return;
            }
        }
    }

    /** Posts no more receives: the worker is closing. */
    void end() {
        ended = true;
    }

    /** Searches for a message that waits at the worker for a channel that wants one now. */
    Look find() {
        if (ended) {
            return Look.NONE;
        }
        Read read = post();
        if (read == null) {
            return ended ? Look.NONE : Look.NO_ROOM;
        }
        if (read.matched) {
            return Look.FOUND;
        }
        if (posted > wanted) {
            worker.cancel(read.id);
        }
        return Look.NONE;
    }

    /** Posts a receive; returns null if the worker takes none. */
    private @Nullable Read post() {
        Read read = free.isEmpty() ? new Read() : free.remove();
        read.matched = false;
        posted++;
        long id = worker.receive(read, TAG, Worker.FULL_TAG_MASK, read, 0);
        if (id < 0) {
            posted--;
            free.add(read);
            ended = id == Endpoint.CLOSED;
            return null;
        }
        read.id = id;
        return read;
    }

    /** One receive, and its message until the channel takes it. */
    final class Read implements MatchHandler, Completion.Immediate {
        private long id;
        private boolean matched;
        private boolean whole;
        /** Null if the message is discarded, or is the end of the stream. */
        private @Nullable ByteBuf buffer;

        private @Nullable Stream stream;
        private Status status = Status.OK;
        private MemorySegment memory = MemorySegment.NULL;

        @Override
        public boolean accepts(Endpoint source) {
            Stream target = stream(source);
            return target == null || target.accepts();
        }

        @Override
        public boolean tryMatch(MessageInfo message) {
            matched = true;
            whole = false;
            posted--;
            Stream target = message.source().map(PostedReads.this::stream).orElse(null);
            stream = target;
            memory = target == null ? MemorySegment.NULL : target.begin(this, message.length());
            return true;
        }

        @Override
        public MemorySegment buffer() {
            return memory;
        }

        void use(@Nullable ByteBuf taken) {
            buffer = taken;
        }

        @Override
        public void completed(Request request) {
            memory = MemorySegment.NULL;
            if (!matched) {
                posted--;
                recycle();
                return;
            }
            whole = true;
            status = request.status();
            Stream target = stream;
            if (target == null) {
                recycle();
            } else {
                target.arrived(this);
            }
        }

        /** Whether the receive has ended: the message is whole, or never will be. */
        boolean isWhole() {
            return whole;
        }

        /** How the receive ended. */
        Status status() {
            return status;
        }

        /** Hands the message to the caller, who releases it; null at the end of the stream. */
        @Nullable ByteBuf take() {
            ByteBuf taken = buffer;
            buffer = null;
            return taken;
        }

        /** Releases the message, and returns the receive to the pool. */
        void recycle() {
            ByteBuf taken = take();
            if (taken != null) {
                taken.release();
            }
            stream = null;
            free.add(this);
        }
    }
}
