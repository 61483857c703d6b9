package io.fairlead.metrics;

import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.MessageHandler;
import java.lang.foreign.MemorySegment;

/** A handler, and an observation around its work on each message that brings a context. */
record ObservedHandler(MessageHandler handler, FairleadObservations observations) implements MessageHandler {
    @Override
    public void message(String topic, long sequence, MemorySegment buffer, long offset, long length) {
        handler.message(topic, sequence, buffer, offset, length);
    }

    @Override
    public void message(
            String topic, long sequence, MemorySegment buffer, long offset, long length, MessageContext context) {
        GuardedObservation.start(() -> observations.delivery(FairleadObservations.DELIVER, context, topic, length))
                .around(() -> handler.message(topic, sequence, buffer, offset, length, context));
    }
}
