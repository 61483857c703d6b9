package io.fairlead.netty;

import io.fairlead.ActiveMessage;
import io.fairlead.ActiveMessageHandler;
import io.fairlead.Endpoint;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Passes the messages of an event loop's endpoints to the streams of their channels. On the loop's thread. */
final class Streams implements ActiveMessageHandler {
    /** The handler number of all messages: a byte stream has one order. The worker is the loop's own, so all numbers are free. */
    static final int HANDLER = 0;

    /** Takes the messages of one endpoint. Called inside the worker's progress. */
    interface Stream {
        /** Whether this is the stream of an endpoint. */
        boolean isOf(Endpoint endpoint);

        /** Takes a message, now or later. */
        void received(ActiveMessage message);
    }

    /** By the endpoint's id. */
    private @Nullable Stream[] streams = new @Nullable Stream[64];

    /** The stream takes the messages of an endpoint from now on. */
    void add(Endpoint endpoint, Stream stream) {
        int id = endpoint.id();
        if (id >= streams.length) {
            streams = Arrays.copyOf(streams, Math.max(id + 1, 2 * streams.length));
        }
        streams[id] = stream;
    }

    /** The channel is closed; the rest of its endpoint's messages is discarded. */
    void remove(Endpoint endpoint) {
        if (stream(endpoint) != null) {
            streams[endpoint.id()] = null;
        }
    }

    /** The stream of an endpoint; null after its removal. */
    private @Nullable Stream stream(Endpoint endpoint) {
        int id = endpoint.id();
        Stream stream = id < streams.length ? streams[id] : null;
        // A later endpoint can have the same id.
        return stream != null && stream.isOf(endpoint) ? stream : null;
    }

    @Override
    public void received(ActiveMessage message) {
        Stream stream = stream(message.source());
        if (stream != null) {
            stream.received(message);
        }
    }
}
