package io.fairlead.node.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.MessageInfo;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A frame that has arrived ahead of its message, and what is in it once it has been read. Belongs to the loop's thread. */
final class ArrivedFrame implements Completion {
    private final PeerLink link;
    private final Endpoint endpoint;
    private final MessageInfo message;
    private final long length;
    private final NativePool pool;
    /** The frame with the context, where this one says only that a message is an application's. */
    private final @Nullable ArrivedFrame before;

    private NativePool.@Nullable Block block;
    private MessageContext context = MessageContext.EMPTY;
    private boolean read;
    private @Nullable LoopReceive waiting;

    /**
     * Notes a frame; {@link #tryReceive} reads it.
     *
     * @param message the frame, which is claimed when this has returned
     * @param before the frame right before it, if there is one
     */
    ArrivedFrame(PeerLink link, MessageInfo message, NativePool pool, @Nullable ArrivedFrame before) {
        this.link = link;
        this.endpoint = message.source().orElseThrow();
        this.message = message;
        this.length = message.length();
        this.pool = pool;
        this.before = isVerbatim() ? before : null;
    }

    /** Whether the next message is an application's, whatever its tag. */
    boolean isVerbatim() {
        return length == ContextFrame.VERBATIM_LENGTH;
    }

    /** Has the worker receive the frame; false if it has no room. */
    boolean tryReceive(Worker worker) {
        if (!ContextFrame.isLength(length)) {
            if (worker.receiveClaimed(message, MemorySegment.NULL, Completion.IGNORE) == Endpoint.BACK_PRESSURE) {
                return false;
            }
            end();
            link.violated(endpoint, ContextFrame.wrongLength(length));
            return true;
        }
        if (block == null) {
            try {
                block = pool.stage(length);
            } catch (OutOfMemoryError none) {
                // As without room in the worker: it is tried again.
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
            link.violated(endpoint, malformed);
        } finally {
            abandon();
        }
    }

    /** The node's own work for the frame has thrown: its peer ends, and the message behind it goes without. */
    void failThrown(Throwable thrown) {
        abandon();
        link.failThrown(thrown);
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
        LoopReceive behind = waiting;
        if (behind != null) {
            waiting = null;
            behind.deliverWhenFramed();
        }
    }

    /** Whether a message has to wait for this; it is then told by {@link LoopReceive#deliverWhenFramed}. */
    boolean isAwaitedBy(LoopReceive behind) {
        if (!read) {
            waiting = behind;
            return true;
        }
        return before != null && before.isAwaitedBy(behind);
    }

    /** The context of the message behind the frame. */
    MessageContext context() {
        return before == null ? context : before.context();
    }
}
