package io.fairlead.internal.engine;

/**
 * What may be under way on an endpoint ahead of the receiver's matching, in both directions.
 *
 * <p>A message costs its length while it may be eager, plus a fixed amount; both sides compute the same cost from the length
 * alone, so that no transport has to carry it. The sender pays when it posts; the receiver pays back when the
 * message is matched, in portions, because a control frame for each would cost more than the message.
 */
final class Credits {
    /** What a message costs beside its payload: the memory that its arrival takes until it is matched. */
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
     * The longest eager message: half of either window, and never more than a sender has when the receiver owes it credits that are
     * not due yet, which are less than a quarter.
     */
    static int eagerMax(int localEager, int localWindow, int peerEager, int peerWindow) {
        int window = Math.min(localWindow, peerWindow);
        int room = Math.min(window / 2, window - window / 4 - MESSAGE_COST);
        return Math.max(0, Math.min(room, Math.min(localEager, peerEager)));
    }

    /** The longest eager message. */
    int eagerMax() {
        return eagerMax;
    }

    long cost(long length) {
        return length <= eagerMax ? length + MESSAGE_COST : MESSAGE_COST;
    }

    /** Pays for a message to be sent; false, and nothing paid, if the receiver has granted too little. */
    boolean tryPay(long cost) {
        if (cost > available) {
            return false;
        }
        available -= cost;
        return true;
    }

    /** Takes back what was paid for a message that was not sent. */
    void refund(long cost) {
        available += cost;
    }

    /** Credits have come back from the receiver; false if they are more than it can owe. */
    boolean tryTakeGrant(long bytes) {
        if (bytes <= 0 || bytes > sendWindow - available) {
            return false;
        }
        available += bytes;
        return true;
    }

    /** What was paid and has not come back. */
    long spent() {
        return sendWindow - available;
    }

    /** What may be paid and not come back. */
    long limit() {
        return sendWindow;
    }

    /** Whether the sender has credits for a message. */
    boolean hasRoomFor(long cost) {
        return outstanding + cost <= receiveWindow;
    }

    /** A message has arrived; false if the sender had no credits for it. */
    boolean tryAdmit(long cost) {
        outstanding += cost;
        return outstanding <= receiveWindow;
    }

    /** A message has been matched; true if it is time to tell the sender. */
    boolean addMatched(long cost) {
        matched += cost;
        return matched >= receiveWindow / 4;
    }

    /** What to grant now. */
    long due() {
        return matched;
    }

    /** The grant has left. */
    void clearDue() {
        outstanding -= matched;
        matched = 0;
    }
}
