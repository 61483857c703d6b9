package io.fairlead.node.internal.loop;

/** A completed future or an event for the application. The loop runs it outside of the worker's progress, or the node's executor does. */
public interface Delivery {
    /** Completes the future or calls the handler. */
    void deliver();

    /** A delivery that runs on the loop's thread, whatever the node's executor. */
    interface OnLoop extends Delivery {}
}
