package io.fairlead.node.internal;

/**
 * A completed future or an event on its way to the application: run by the loop outside of the worker's progress, or by the
 * node's executor.
 */
interface Delivery {
    /** Completes the future or calls the handler. */
    void deliver();
}
