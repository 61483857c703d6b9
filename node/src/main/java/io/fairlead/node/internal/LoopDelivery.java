package io.fairlead.node.internal;

/** A delivery that is for the loop's thread, whatever the node's executor. */
interface LoopDelivery extends Delivery {}
