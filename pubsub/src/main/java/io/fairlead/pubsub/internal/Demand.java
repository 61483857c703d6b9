package io.fairlead.pubsub.internal;

/** Whether the next message of a subscription is wanted. If not, it stays in the window and holds its credit. */
@FunctionalInterface
interface Demand {
    /** Every message is wanted at once. */
    Demand UNLIMITED = () -> true;

    /** Called before each message, on the worker's thread. An implementation that returns false wakes the worker when that changes. */
    boolean wantsMessage();
}
