package io.fairlead.pubsub;

/** Why a subscription missed messages. */
public enum GapCause {
    /** The subscriber was too slow and the topic's policy is {@link SlowPolicy#DROP_OLDEST}. */
    SLOW,
    /** They were published while the subscription was disconnected, or were lost with its connection. */
    DISCONNECTED
}
