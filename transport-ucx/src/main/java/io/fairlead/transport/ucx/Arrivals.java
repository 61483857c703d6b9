package io.fairlead.transport.ucx;

/** Takes the messages that UCX has matched with no receive to the endpoints that they are for. */
final class Arrivals {
    /** Of one look: receives come before a flood. */
    private static final int MESSAGES_MAX = 64;
    /** Every so many turns UCX is asked for messages although nothing tells of any. */
    private static final int TURNS_PER_LOOK = 16;

    private final UnmatchedMessages unmatched;
    private final UcxEndpointTable endpoints;
    /** UCX has worked since it was last asked. */
    private boolean unsearched;

    private int turns;

    Arrivals(UnmatchedMessages unmatched, UcxEndpointTable endpoints) {
        this.unmatched = unmatched;
        this.endpoints = endpoints;
    }

    /**
     * UCX has made progress. Most of what it does is to end our requests, and that needs no look at its unmatched messages now. A quiet turn has the
     * time for it.
     *
     * @param worked how much UCX has worked
     * @param ended how many requests have ended
     * @return how many messages were taken
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
        if (own && endpoint != null && !endpoint.state().hasEnded()) {
            endpoint.channel().arrived(message, TransportMessage.kind(tag), length);
        } else if (!own && endpoint != null && endpoint.state().isMade()) {
            endpoint.messages().arrived(message, tag & TagChannel.TAG_MASK, length);
        } else {
            // None comes before the peer's first word: this one is a stranger's, who names whom he likes.
            unmatched.discard(message);
        }
    }
}
