package io.fairlead.node.internal.context;

import io.fairlead.Endpoint;
import io.fairlead.node.internal.frame.ContextFrame;
import io.fairlead.node.internal.memory.NativePool;
import io.fairlead.observation.MessageContext;
import org.jspecify.annotations.Nullable;

/** Sends the messages of one connection, each behind the frame with its context if it has one. Belongs to the loop's thread. */
public final class ContextOutlet {
    /** How the peer treats the next message. */
    private enum Next {
        PLAIN,
        WITH_CONTEXT,
        VERBATIM
    }

    /** A message that is to be sent. */
    public interface Outgoing {
        long tag();

        /** What the message carries. */
        MessageContext context();

        /** Posts the message itself. Returns a request id, 0 if it is done without one, or a negative status. */
        public long post(Endpoint endpoint);
    }

    private final NativePool pool;
    private boolean agreed;
    private Next next = Next.PLAIN;
    /** Its frame is posted, if it needs one, and the message itself is not. */
    private @Nullable Outgoing announced;

    public ContextOutlet(NativePool pool) {
        this.pool = pool;
    }

    /** Begins anew, on another connection. */
    public void connected(int peerFeatures) {
        agreed = (peerFeatures & ContextFrame.FEATURE) != 0;
        next = Next.PLAIN;
        announced = null;
    }

    /** Whether the peer sends and takes frames. */
    public boolean agreed() {
        return agreed;
    }

    /** Posts a message; the frame before it only once, however often the message has to be tried. */
    @SuppressWarnings("ReferenceEquality") // The operation itself.
    public long post(Outgoing send, Endpoint endpoint) {
        if (agreed && announced != send) {
            long posted = announce(send, endpoint);
            if (posted < 0) {
                return posted;
            }
        }
        long posted = send.post(endpoint);
        if (posted >= 0) {
            next = Next.PLAIN;
            announced = null;
        }
        return posted;
    }

    private long announce(Outgoing send, Endpoint endpoint) {
        boolean verbatim = send.tag() == ContextFrame.TAG;
        MessageContext context = send.context();
        if (next == Next.PLAIN && !verbatim && context.isEmpty()) {
            return 0;
        }
        if (next == Next.VERBATIM) {
            // The message behind the last frame could not be posted. The peer takes whatever comes next for it, even a
            // frame.
            announced = send;
            return 0;
        }
        if (next == Next.WITH_CONTEXT || !context.isEmpty()) {
            // This frame replaces one that was sent for a message that could not be posted.
            byte[] encoded = context.encode();
            long posted = send(ContextFrame.write(encoded, pool), 1L + encoded.length, endpoint);
            if (posted < 0) {
                return posted;
            }
            next = Next.WITH_CONTEXT;
        }
        if (verbatim) {
            long posted = send(ContextFrame.writeVerbatim(pool), ContextFrame.VERBATIM_LENGTH, endpoint);
            if (posted < 0) {
                return posted;
            }
            next = Next.VERBATIM;
        }
        announced = send;
        return 0;
    }

    private static long send(NativePool.Block frame, long length, Endpoint endpoint) {
        long posted;
        try {
            posted = endpoint.send(frame.segment(), 0, length, ContextFrame.TAG, _ -> frame.release(), 0);
        } catch (Throwable thrown) {
            frame.release();
            throw thrown;
        }
        if (posted < 0) {
            frame.release();
        }
        return posted;
    }
}
