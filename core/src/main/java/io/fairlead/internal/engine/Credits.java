package io.fairlead.internal.engine;

/**
 * What may be in flight on an endpoint ahead of the receiver's matching, in both directions.
 *
 * <p>A message costs its length if it may be eager, plus a fixed amount. Both sides compute the cost from the length
 * alone, so no transport carries it. The sender pays at the post. The receiver returns the credits when the message is
 * matched, in batches, because a control frame for each would cost more than the message.
 */
final class Credits {
    /** The cost of a message beside its payload: the memory of its arrival until it is matched. */
    static final int MESSAGE_COST = 64;

    private final int eagerMax;
    private final long sendWindow;
    private final long receiveWindow;
    private long available;
    private long outstanding;
    private long matched;

    Credits(int eagerMax, int sendWindow, int receiveWindow) {
        this.eagerMax = eagerMax;
        this.sendWindow = sendWindow;
        this.receiveWindow = receiveWindow;
        this.available = sendWindow;
    }

    /**
     * The maximum eager length: half of the smaller window. It never exceeds what a sender has while the receiver holds
     * back credits that are not due yet, which are less than a quarter.
     */
    static int eagerMax(int localEager, int localWindow, int peerEager, int peerWindow) {
        int window = Math.min(localWindow, peerWindow);
        int room = Math.min(window / 2, window - window / 4 - MESSAGE_COST);
        return Math.max(0, Math.min(room, Math.min(localEager, peerEager)));
    }

    /** The maximum eager length. */
    int eagerMax() {
        return eagerMax;
    }

    long cost(long length) {
        return length <= eagerMax ? length + MESSAGE_COST : MESSAGE_COST;
    }

    /** The cost of an active message, whose header is here in any case. */
    long activeCost(int headerLength, long length) {
        return cost(length) + headerLength;
    }

    /** Pays for a message to be sent; false, without payment, if the receiver has granted too little. */
    boolean tryPay(long cost) {
        if (cost > available) {
            return false;
        }
        available -= cost;
        return true;
    }

    /** Refunds the cost of a message that was not sent. */
    void refund(long cost) {
        available += cost;
    }

    /** Adds credits that the receiver returned; false if they exceed what it can owe. */
    boolean tryTakeGrant(long bytes) {
        if (bytes <= 0 || bytes > sendWindow - available) {
            return false;
        }
        available += bytes;
        return true;
    }

    /** The credits that were paid and not returned. */
    long spent() {
        return sendWindow - available;
    }

    /** The limit of unreturned credits. */
    long limit() {
        return sendWindow;
    }

    /** Whether an eager message may arrive: it is not too long, and the sender has credits for it. */
    boolean mayArrive(long length) {
        return length <= eagerMax && outstanding + length + MESSAGE_COST <= receiveWindow;
    }

    /** An eager message has arrived and is matched; true if a grant to the sender is due. */
    boolean takeMatched(long length) {
        outstanding += length + MESSAGE_COST;
        matched += length + MESSAGE_COST;
        return matched >= receiveWindow / 4;
    }

    /** A message has arrived; false if the sender had no credits for it. */
    boolean tryAdmit(long cost) {
        outstanding += cost;
        return outstanding <= receiveWindow;
    }

    /** Counts a matched message; true if a grant to the sender is due. */
    boolean addMatched(long cost) {
        matched += cost;
        return matched >= receiveWindow / 4;
    }

    /** The credits to grant now. */
    long due() {
        return matched;
    }

    /** The grant was sent. */
    void clearDue() {
        outstanding -= matched;
        matched = 0;
    }
}
