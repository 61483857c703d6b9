package io.fairlead.pubsub;

import io.fairlead.FairleadException;
import io.fairlead.Worker;

/**
 * Events of a subscription other than its messages. Every method runs on the worker's thread inside
 * {@link Worker#progress()}, under the rules of {@link MessageHandler}. An exception that it throws is logged.
 *
 * <p>Order: {@code joined}, then {@code restarted} or {@code gap} if something was missed since an earlier join, then messages
 * with a {@code gap} before each message that does not follow the one before, then {@code disconnected}, after which the order begins
 * again. {@code ended} is the last.
 */
public interface SubscriptionEvents {
    /** Does nothing. */
    SubscriptionEvents NONE = new SubscriptionEvents() {};

    /**
     * The publisher has accepted the subscription.
     *
     * @param subscription which
     * @param nextSequence the sequence number of the stream's first message; a snapshot's messages have lower numbers
     */
    default void joined(Subscription subscription, long nextSequence) {}

    /**
     * The snapshot has been delivered through the message handler; what follows is the stream.
     *
     * @param subscription which
     * @param messages how many messages the snapshot held that had not been delivered before
     */
    default void snapshotDelivered(Subscription subscription, int messages) {}

    /**
     * Messages were missed and will not come.
     *
     * @param subscription which
     * @param firstSequence the first sequence number that was missed
     * @param lastSequence the last sequence number that was missed, at least the first
     * @param cause why
     */
    default void gap(Subscription subscription, long firstSequence, long lastSequence, GapCause cause) {}

    /**
     * The publisher has changed since the last join. Its sequence numbers begin again, and it is unknown how many messages of the old
     * one were missed. It is also called if the same publisher has published less than it had announced to this subscription, as after damage on
     * the way: the subscription then takes the publisher's position.
     *
     * @param subscription which
     * @param lastSequence the last sequence number that was delivered from the old one, 0 if none
     * @param nextSequence the sequence number of the first message of the new one's stream
     */
    default void restarted(Subscription subscription, long lastSequence, long nextSequence) {}

    /**
     * The stream has stopped, and the subscription will join again after a back-off. Everything that had arrived was delivered
     * before.
     *
     * @param subscription which
     * @param cause {@code CLOSED} if the publisher or topic was closed, {@code LIMIT_REACHED} if this subscriber was too slow for
     *     {@link SlowPolicy#DISCONNECT}, {@code PROTOCOL_VIOLATION} if the publisher sent something malformed, else why the connection failed
     */
    default void disconnected(Subscription subscription, FairleadException cause) {}

    /**
     * The subscription has ended and will not join again.
     *
     * @param subscription which
     * @param cause {@code REFUSED} or {@code UNSUPPORTED} with what to change, or the failure of the last permitted attempt to connect
     */
    default void ended(Subscription subscription, FairleadException cause) {}
}
