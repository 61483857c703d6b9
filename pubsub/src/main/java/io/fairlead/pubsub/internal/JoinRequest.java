package io.fairlead.pubsub.internal;

import io.fairlead.pubsub.StartAt;
import io.fairlead.pubsub.internal.Wire.Malformed;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * A subscriber's request to join a topic. The payload of a SUBSCRIBE: version, start and abilities (two 32-bit words), longest message (64 bits),
 * lengths of the two names (two 32-bit words), names.
 *
 * @param stream the subscriber's number for this join
 * @param version the protocol version that the subscriber speaks
 * @param startAt what it wants first
 * @param contexts whether it knows frames with contexts
 * @param places whether it reads batches where the publisher keeps them, if it can
 * @param messageMax the longest message that it accepts
 * @param subscriber its name
 * @param topic the topic's name
 */
record JoinRequest(
        int stream,
        int version,
        StartAt startAt,
        boolean contexts,
        boolean places,
        long messageMax,
        String subscriber,
        String topic) {
    private static final int FIXED_BYTES = 24;
    private static final int START_NEXT = 0;
    private static final int START_SNAPSHOT = 1;
    /** In the word of the start, above it. */
    private static final int KNOWS_CONTEXTS = 1 << 8;

    private static final int KNOWS_PLACES = 1 << 9;

    /** Writes the payload and returns its length. */
    int encode(MemorySegment segment) {
        byte[] subscriberBytes = subscriber.getBytes(StandardCharsets.UTF_8);
        byte[] topicBytes = topic.getBytes(StandardCharsets.UTF_8);
        segment.set(Wire.INT, 0, version);
        int start = startAt == StartAt.SNAPSHOT ? START_SNAPSHOT : START_NEXT;
        segment.set(Wire.INT, 4, start | (contexts ? KNOWS_CONTEXTS : 0) | (places ? KNOWS_PLACES : 0));
        segment.set(Wire.LONG, 8, messageMax);
        segment.set(Wire.INT, 16, subscriberBytes.length);
        segment.set(Wire.INT, 20, topicBytes.length);
        Wire.putBytes(segment, FIXED_BYTES, subscriberBytes);
        Wire.putBytes(segment, FIXED_BYTES + subscriberBytes.length, topicBytes);
        return FIXED_BYTES + subscriberBytes.length + topicBytes.length;
    }

    /** Reads a payload that a peer sent. */
    static JoinRequest decode(int stream, MemorySegment segment, long at, long length) throws Malformed {
        if (length < FIXED_BYTES) {
            throw new Malformed("join is too short: length=" + length + ", at least " + FIXED_BYTES + " bytes");
        }
        int abilities = segment.get(Wire.INT, at + 4);
        int start = abilities & ~(KNOWS_CONTEXTS | KNOWS_PLACES);
        long messageMax = segment.get(Wire.LONG, at + 8);
        long subscriberBytes = segment.get(Wire.INT, at + 16);
        long topicBytes = segment.get(Wire.INT, at + 20);
        if (stream < 1 || stream > Wire.STREAM_MAX) {
            throw new Malformed("stream out of range: stream=" + stream + ", allowed 1 to " + Wire.STREAM_MAX);
        }
        if (start != START_NEXT && start != START_SNAPSHOT) {
            throw new Malformed("unknown start: start=" + start);
        }
        if (messageMax < 0) {
            throw new Malformed("negative longest message: messageMax=" + messageMax);
        }
        if (subscriberBytes < 0 || topicBytes < 0 || FIXED_BYTES + subscriberBytes + topicBytes != length) {
            throw new Malformed("names do not fill the join: length=" + length + ", subscriberName=" + subscriberBytes
                    + ", topicName=" + topicBytes + " bytes");
        }
        String subscriber = Wire.text(segment, at + FIXED_BYTES, subscriberBytes);
        String topic = Wire.text(segment, at + FIXED_BYTES + subscriberBytes, topicBytes);
        try {
            return new JoinRequest(
                    stream,
                    segment.get(Wire.INT, at),
                    start == START_SNAPSHOT ? StartAt.SNAPSHOT : StartAt.NEXT,
                    (abilities & KNOWS_CONTEXTS) != 0,
                    (abilities & KNOWS_PLACES) != 0,
                    messageMax,
                    Limits.subscriberName(subscriber),
                    Limits.topicName(topic));
        } catch (IllegalArgumentException e) {
            throw new Malformed(String.valueOf(e.getMessage()));
        }
    }
}
