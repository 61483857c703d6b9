package io.fairlead.spring;

import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A message of a topic, as a {@link FairleadListener} may take it. Belongs to the listener, which may keep and change it.
 *
 * @param topic the topic's name
 * @param sequence the message's number in its topic, 1 and up
 * @param payload the bytes, in memory of the heap
 * @param context what the publisher's tracing has sent along
 */
public record TopicMessage(String topic, long sequence, MemorySegment payload, MessageContext context) {
    /** Rejects nulls. */
    public TopicMessage {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(payload, "payload");
        Objects.requireNonNull(context, "context");
    }

    /**
     * The bytes as an array.
     *
     * @return a copy
     */
    public byte[] bytes() {
        return payload.toArray(ValueLayout.JAVA_BYTE);
    }

    /**
     * The bytes as text.
     *
     * @return read as UTF-8, with a replacement character for what is not
     */
    public String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }
}
