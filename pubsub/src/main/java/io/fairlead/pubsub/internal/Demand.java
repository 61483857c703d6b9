package io.fairlead.pubsub.internal;

/** Whether somebody wants the next message of a subscription. Where nobody does it stays in the window, and holds its credit. */
@FunctionalInterface
interface Demand {
    /** Every message is wanted at once. */
    Demand UNLIMITED = () -> true;

    /** Asked before each message, on the worker's thread. Whoever answers false wakes the worker when that changes. */
    boolean wantsMessage();
}
