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
import org.jspecify.annotations.Nullable;

/**
 * The receives of an event loop, which all of its channels share: each takes the next message of whichever channel wants one, and gets a buffer
 * of that channel's allocator when the length is known. So idle channels hold no buffers. On the loop's thread.
 *
 * <p>At the end of each turn at least one receive is posted that no message has matched, so that a message which no channel wanted has been
 * offered to its channel ({@link StreamIn#accepts()}), which then knows that something waits.
 */
final class PostedReads {
    /** The tag of all messages: a byte stream has one order. */
    static final long TAG = 0x6e65_7474_7900L;
    /** So many messages arrive in one progress without waiting for the next. */
    private static final int POSTED_MAX = 16;

    /** What came of a look for a message that has waited. */
    enum Look {
        /** There was one, and it is taken. */
        FOUND,
        /** None of a channel that wants one waits. */
        NONE,
        /** Nobody could look: the worker has as many operations as it may have. A progress makes room. */
        NO_ROOM
    }

    private final LoopWorker loop;
    /** So many are posted, which leaves as many for looks. */
    private final int wanted;

    private final ArrayDeque<Read> free = new ArrayDeque<>();
    private int posted;
    private boolean ended;

    PostedReads(LoopWorker loop, int operationsMax) {
        this.loop = loop;
        this.wanted = Math.clamp(operationsMax / 2, 1, POSTED_MAX);
    }

    /** Posts what is missing, as far as the worker takes it. */
    void replenish() {
        while (posted < wanted && !ended) {
            if (post() == null) {
                return;
            }
        }
    }

    /** Posts no more: the worker is closing. */
    void end() {
        ended = true;
    }

    /** Looks for a message that has waited, of a channel that wants one now. */
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
            loop.worker().cancel(read.id);
        }
        return Look.NONE;
    }

    /** Posts one; null if the worker takes none. */
    private @Nullable Read post() {
        Read read = free.isEmpty() ? new Read() : free.remove();
        read.matched = false;
        posted++;
        long id = loop.worker().receive(read, TAG, Worker.FULL_TAG_MASK, read, 0);
        if (id < 0) {
            posted--;
            free.add(read);
            ended = id == Endpoint.CLOSED;
            return null;
        }
        read.id = id;
        return read;
    }

    /** One receive, and the message that it has taken until its channel has it. */
    final class Read implements MatchHandler, Completion.Immediate {
        private long id;
        private boolean matched;
        private boolean whole;
        /** Null where the message is discarded, or is the end of the stream. */
        private @Nullable ByteBuf buffer;

        private @Nullable StreamIn stream;
        private Status status = Status.OK;
        private MemorySegment memory = MemorySegment.NULL;

        @Override
        public boolean accepts(Endpoint source) {
            FairleadSocketChannel channel = loop.channel(source);
            return channel == null || channel.in().accepts();
        }

        @Override
        public boolean tryMatch(MessageInfo message) {
            matched = true;
            whole = false;
            posted--;
            FairleadSocketChannel channel = message.source().map(loop::channel).orElse(null);
            stream = channel == null ? null : channel.in();
            memory = stream == null ? MemorySegment.NULL : stream.begin(this, message.length());
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
            StreamIn target = stream;
            if (target == null) {
                recycle();
            } else {
                target.arrived(this);
            }
        }

        /** Whether all of the message is here, or will never be. */
        boolean isWhole() {
            return whole;
        }

        /** How the receive ended. */
        Status status() {
            return status;
        }

        /** The message, which is the caller's from now on; null at the end of the stream. */
        @Nullable ByteBuf take() {
            ByteBuf taken = buffer;
            buffer = null;
            return taken;
        }

        /** Gives up the message, and serves another one. */
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
