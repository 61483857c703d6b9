package io.fairlead.spring;

import io.fairlead.observation.MessageContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;

/** Makes each call of a listener an observation, which continues the trace that the message has brought. */
record ObservedListener(ObservationRegistry registry) implements ListenerObserver {
    private static final String NAME = "fairlead.listener";

    @Override
    public void around(String listener, TopicMessage message, Call call) throws Throwable {
        Observation.createNotStarted(NAME, () -> context(message.context()), registry)
                .contextualName("listen " + message.topic())
                .lowCardinalityKeyValue(NAME, listener)
                .lowCardinalityKeyValue("fairlead.topic", message.topic())
                .highCardinalityKeyValue("fairlead.sequence", Long.toString(message.sequence()))
                .observeChecked(call::run);
    }

    private static ReceiverContext<MessageContext> context(MessageContext brought) {
        ReceiverContext<MessageContext> context =
                new ReceiverContext<>((carrier, name) -> carrier.value(name).orElse(null), Kind.CONSUMER);
        context.setCarrier(brought);
        return context;
    }
}
