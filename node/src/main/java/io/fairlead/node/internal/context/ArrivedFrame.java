package io.fairlead.node.internal.context;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.MessageInfo;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.node.internal.frame.ContextFrame;
import io.fairlead.node.internal.memory.NativePool;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A frame that has arrived ahead of its message, and what is in it once it has been read. Belongs to the loop's thread. */
public final class ArrivedFrame implements Completion {
    /** The connection that a frame comes from. On the loop's thread. */
    public interface Connection {
        /** The peer has sent what no node sends. */
        void violated(Endpoint endpoint, FairleadException what);

        /** The node's own code for the frame has thrown. */
        void failThrown(Throwable thrown);
    }

    /** A message that waits for the frame before it. On the loop's thread. */
    public interface Awaiting {
        /** The frame has been read, or will not be. */
        void framed();
    }

    private final Connection connection;
    private final Endpoint endpoint;
    private final MessageInfo message;
    private final long length;
    private final NativePool pool;
    /** The frame with the context, where this one says only that a message is an application's. */
    private final @Nullable ArrivedFrame before;

    private NativePool.@Nullable Block block;
    private MessageContext context = MessageContext.EMPTY;
    private boolean read;
    private @Nullable Awaiting waiting;

    /**
     * Notes a frame; {@link #tryReceive} reads it.
     *
     * @param message the frame, which is claimed when this has returned
     * @param before the frame right before it, if there is one
     */
    ArrivedFrame(Connection connection, MessageInfo message, NativePool pool, @Nullable ArrivedFrame before) {
        this.connection = connection;
        this.endpoint = message.source().orElseThrow();
        this.message = message;
        this.length = message.length();
        this.pool = pool;
        this.before = isVerbatim() ? before : null;
    }

    /** Whether the next message is an application's, whatever its tag. */
    public boolean isVerbatim() {
        return length == ContextFrame.VERBATIM_LENGTH;
    }

    /** Lets the worker receive the frame. Returns false if it has no capacity. */
    boolean tryReceive(Worker worker) {
        if (!ContextFrame.isLength(length)) {
            if (worker.receiveClaimed(message, MemorySegment.NULL, Completion.IGNORE) == Endpoint.BACK_PRESSURE) {
                return false;
            }
            end();
            connection.violated(endpoint, ContextFrame.wrongLength(length));
            return true;
        }
        if (block == null) {
            try {
                block = pool.stage(length);
            } catch (OutOfMemoryError none) {
                // It is tried again, as if the worker had no capacity.
                return false;
            }
        }
        long posted = worker.receiveClaimed(message, block.segment(), 0, length, this, 0);
        if (posted == Endpoint.BACK_PRESSURE) {
            return false;
        }
        if (posted < 0) {
            abandon();
        }
        return true;
    }

    @Override
    public void completed(Request request) {
        NativePool.Block filled = Objects.requireNonNull(block, "block");
        try {
            if (request.status() == Status.OK) {
                context = ContextFrame.read(filled.segment(), length);
            }
        } catch (FairleadException malformed) {
            connection.violated(endpoint, malformed);
        } finally {
            abandon();
        }
    }

    /** The node's own work for the frame has thrown: its peer ends, and the message behind it goes without. */
    void failThrown(Throwable thrown) {
        abandon();
        connection.failThrown(thrown);
    }

    /** Nothing more will be read of the frame. */
    void abandon() {
        if (block != null) {
            block.release();
            block = null;
        }
        end();
    }

    private void end() {
        read = true;
        Awaiting behind = waiting;
        if (behind != null) {
            waiting = null;
            behind.framed();
        }
    }

    /** Whether a message has to wait for this frame. If so, {@link Awaiting#framed} is called later. */
    public boolean isAwaitedBy(Awaiting behind) {
        if (!read) {
            waiting = behind;
            return true;
        }
        return before != null && before.isAwaitedBy(behind);
    }

    /** The context of the message behind the frame. */
    public MessageContext context() {
        return before == null ? context : before.context();
    }
}
