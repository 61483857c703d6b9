package io.fairlead.transport.ucx;

import org.jspecify.annotations.Nullable;

/** Dispatches the messages outside of {@linkplain BatchInbox batches} to their endpoints. */
final class Arrivals {
    /** The batches that have arrived. */
    interface Batches {
        /** Whether one is whole and unread; it is read next then. */
        boolean findWhole();

        /** Adopts a claimed one that has found no receive; false if there are too many. */
        boolean tryAdopt(long message);
    }

    /** Maximum number per poll: receives complete before further messages are taken. */
    private static final int MESSAGES_MAX = 64;
    /** UCX is polled for messages once in this many turns even without a sign of any. */
    private static final int TURNS_PER_LOOK = 16;

    private final UnmatchedMessages unmatched;
    private final UcxEndpointTable endpoints;
    /** UCX has worked since the last poll. */
    private boolean unsearched;

    private int turns;
    /** A batch is to be read before further messages are taken. */
    private boolean batchFirst;

    private @Nullable Batches inbox;

    Arrivals(UnmatchedMessages unmatched, UcxEndpointTable endpoints) {
        this.unmatched = unmatched;
        this.endpoints = endpoints;
    }

    /** Sets where the batches are. */
    void setInbox(Batches batches) {
        inbox = batches;
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
        boolean all = (unsearched && worked == 0) || ++turns % TURNS_PER_LOOK == 0;
        if (all || worked > ended) {
            unsearched = false;
            return take(all ? MESSAGES_MAX : Math.min(worked - ended, MESSAGES_MAX));
        }
        if (worked > 0) {
            unsearched = true;
        }
        return 0;
    }

    /** UCX has made progress, and batches are read first: the next idle turn polls unmatched messages. */
    void noteWork() {
        unsearched = true;
    }

    /**
     * Takes the messages that a batch follows, which have arrived before it.
     *
     * @param counts as {@link UcxEndpointState#sent}
     * @return whether the batch may be read; if not, its endpoint has failed
     */
    boolean takeBefore(UcxEndpoint endpoint, long counts) {
        UcxEndpointState state = endpoint.state();
        if (state.hasTaken(counts)) {
            return true;
        }
        long id = state.host().id();
        boolean whole = tryTake(state, counts, id << TagChannel.SOURCE_SHIFT, TagChannel.SOURCE_MASK)
                && tryTake(state, counts, id, TransportMessage.ENDPOINT_MASK | TagChannel.SOURCE_MASK);
        if (!whole && !state.hasEnded()) {
            state.failViolation("batch of messages names others that were not sent: tagged="
                    + state.missingTagged(counts) + ", others=" + state.missingOthers(counts));
        }
        return whole;
    }

    private boolean tryTake(UcxEndpointState state, long counts, long tag, long mask) {
        boolean tagged = mask == TagChannel.SOURCE_MASK;
        int missing = tagged ? state.missingTagged(counts) : state.missingOthers(counts);
        while (missing > 0 && !state.hasEnded()) {
            long message = unmatched.claim(tag, mask);
            if (message == 0) {
                return false;
            }
            take(message, unmatched.tag(), unmatched.length());
            missing = tagged ? state.missingTagged(counts) : state.missingOthers(counts);
        }
        return missing == 0;
    }

    /**
     * Takes messages that no unread batch precedes. If there is a batch, it is read first, and then the next idle turn
     * polls again.
     *
     * @param max maximum number; UCX's work is mostly no more messages, and the next idle turn polls again anyway
     */
    private int take(int max) {
        if (!unmatched.hasAny()) {
            return 0;
        }
        int count = 0;
        batchFirst = inbox != null && inbox.findWhole();
        while (count < max && !batchFirst) {
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
        if (own && TransportMessage.kind(tag) == TransportMessage.BATCH) {
            takeBatch(endpoint, message);
        } else if (own && TransportMessage.kind(tag) == TransportMessage.LONG) {
            takeLong(endpoint, message, tag, length);
        } else if (own && TransportMessage.isActive(TransportMessage.kind(tag))) {
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

    private void takeBatch(@Nullable UcxEndpoint endpoint, long message) {
        Batches batches = inbox;
        if (batches != null && batches.tryAdopt(message)) {
            batchFirst = true;
            return;
        }
        unmatched.discard(message);
        if (endpoint != null) {
            endpoint.state().failViolation("too many batches of messages have begun to arrive");
        }
    }

    private void takeLong(@Nullable UcxEndpoint endpoint, long message, long tag, long length) {
        LeavableLanes lanes = endpoint == null ? null : endpoint.state().lanes();
        if (endpoint != null
                && lanes != null
                && endpoint.state().isMade()
                && endpoint.state().isCurrent(tag)
                && !endpoint.state().hasEnded()) {
            lanes.longArrived(message, length);
        } else {
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
