package io.fairlead.transport.ucx;

import org.jspecify.annotations.Nullable;

/** Dispatches messages without a matching receive in UCX to their endpoints. */
final class Arrivals {
    /** Maximum number per poll: receives complete before further messages are taken. */
    private static final int MESSAGES_MAX = 64;
    /** UCX is polled for messages once in this many turns even without a sign of any. */
    private static final int TURNS_PER_LOOK = 16;

    private final UnmatchedMessages unmatched;
    private final UcxEndpointTable endpoints;
    /** UCX has worked since the last poll. */
    private boolean unsearched;

    private int turns;

    Arrivals(UnmatchedMessages unmatched, UcxEndpointTable endpoints) {
        this.unmatched = unmatched;
        this.endpoints = endpoints;
    }

    /**
     * UCX has made progress. Mostly it ends requests, and then its unmatched messages need no poll now. An idle turn
     * polls them.
     *
     * @param worked the amount of work of UCX
     * @param ended the number of ended requests
     * @return the number of messages taken
     */
    int progress(int worked, int ended) {
        if (worked > ended || (unsearched && worked == 0) || ++turns % TURNS_PER_LOOK == 0) {
            unsearched = false;
            return take();
        }
        if (worked > 0) {
            unsearched = true;
        }
        return 0;
    }

    private int take() {
        int count = 0;
        while (count < MESSAGES_MAX) {
            long message = unmatched.claim();
            if (message == 0) {
                return count;
            }
            count++;
            take(message, unmatched.tag(), unmatched.length());
        }
        unsearched = true;
        return count;
    }

    private void take(long message, long tag, long length) {
        int id = (int) (tag >>> TagChannel.SOURCE_SHIFT);
        boolean own = id == 0;
        UcxEndpoint endpoint = endpoints.find(own ? TransportMessage.endpoint(tag) : id);
        if (own && TransportMessage.isActive(TransportMessage.kind(tag))) {
            takeActive(endpoint, message, tag, length);
        } else if (own && endpoint != null && !endpoint.state().hasEnded()) {
            endpoint.channel().arrived(message, TransportMessage.kind(tag), length);
        } else if (!own && endpoint != null && endpoint.state().isMade()) {
            endpoint.messages().arrived(message, tag & TagChannel.TAG_MASK, length);
        } else {
            // None arrives before the peer's first message: this one is from another sender, whose tag is arbitrary.
            unmatched.discard(message);
        }
    }

    private void takeActive(@Nullable UcxEndpoint endpoint, long message, long tag, long length) {
        if (endpoint != null && endpoint.state().isMade() && !endpoint.state().hasEnded()) {
            endpoint.active().arrived(message, tag, length);
        } else {
            unmatched.discard(message);
        }
    }
}
