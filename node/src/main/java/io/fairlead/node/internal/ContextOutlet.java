package io.fairlead.node.internal;

import io.fairlead.Endpoint;
import io.fairlead.observation.MessageContext;
import org.jspecify.annotations.Nullable;

/** Sends the messages of one connection, each behind the frame with its context if it has one. Belongs to the loop's thread. */
final class ContextOutlet {
    /** What the peer will make of the next message. */
    private enum Next {
        PLAIN,
        WITH_CONTEXT,
        VERBATIM
    }

    private final NativePool pool;
    private boolean agreed;
    private Next next = Next.PLAIN;
    /** Its frame is posted, if it needs one, and the message itself is not. */
    private @Nullable SendOperation announced;

    ContextOutlet(NativePool pool) {
        this.pool = pool;
    }

    /** Begins anew, on another connection. */
    void connected(int peerFeatures) {
        agreed = (peerFeatures & ContextFrame.FEATURE) != 0;
        next = Next.PLAIN;
        announced = null;
    }

    /** Whether the peer sends and takes frames. */
    boolean agreed() {
        return agreed;
    }

    /** Whether the peer takes whatever comes now for a message of the application's. */
    boolean isMessageDue() {
        return next == Next.VERBATIM;
    }

    /** Posts a message; the frame before it only once, however often the message has to be tried. */
    @SuppressWarnings("ReferenceEquality") // The operation itself.
    long post(SendOperation send, Endpoint endpoint) {
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

    private long announce(SendOperation send, Endpoint endpoint) {
        boolean verbatim = send.tag == ContextFrame.TAG || RequestFrame.isFrameTag(send.tag);
        MessageContext context = send.context();
        if (next == Next.PLAIN && !verbatim && context.isEmpty()) {
            return 0;
        }
        if (next == Next.VERBATIM) {
            // A message that was to come could not be posted. The peer takes whatever comes now for it, a frame
            // included.
            announced = send;
            return 0;
        }
        if (next == Next.WITH_CONTEXT || !context.isEmpty()) {
            // Where the frame of a message that could not be posted is still out there, this one takes its place.
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
