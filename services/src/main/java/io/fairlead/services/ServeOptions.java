package io.fairlead.services;

import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceOptions;
import java.time.Duration;
import java.util.Objects;

/**
 * How a typed service runs. Immutable.
 *
 * @param requests where each method runs, and how many of its calls at once
 * @param streamsMax how many streams of one method a peer has at once, 1 to 65,536; further ones are refused with
 *     {@link RequestStatus#RESOURCE_EXHAUSTED}
 * @param streamBytes how many bytes of a stream wait for its subscriber, 1 and up. While more wait, its publisher is not asked for items
 * @param streamIdle when a stream ends whose subscriber asks for nothing, 10 ms to a day
 */
public record ServeOptions(ServiceOptions requests, int streamsMax, int streamBytes, Duration streamIdle) {
    private static final int STREAMS_LIMIT = 1 << 16;
    private static final Duration IDLE_LEAST = Duration.ofMillis(10);
    private static final Duration IDLE_MOST = Duration.ofDays(1);

    /** The default: {@link ServiceOptions#DEFAULT}, 64 streams of a method and peer, 256 KiB, one minute. */
    public static final ServeOptions DEFAULT =
            new ServeOptions(ServiceOptions.DEFAULT, 64, 256 << 10, Duration.ofMinutes(1));

    /** Checks the limits. */
    public ServeOptions {
        Objects.requireNonNull(requests, "requests");
        Objects.requireNonNull(streamIdle, "streamIdle");
        if (streamsMax < 1 || streamsMax > STREAMS_LIMIT) {
            throw new IllegalArgumentException(
                    "limit of a service out of range: streamsMax=" + streamsMax + ", allowed 1 to " + STREAMS_LIMIT);
        }
        if (streamBytes < 1) {
            throw new IllegalArgumentException(
                    "limit of a service out of range: streamBytes=" + streamBytes + ", allowed 1 and up");
        }
        if (streamIdle.compareTo(IDLE_LEAST) < 0 || streamIdle.compareTo(IDLE_MOST) > 0) {
            throw new IllegalArgumentException("limit of a service out of range: streamIdle=" + streamIdle
                    + ", allowed " + IDLE_LEAST + " to " + IDLE_MOST);
        }
    }

    /**
     * The same with other options of requests.
     *
     * @param newRequests where each method runs, and how many of its calls at once
     * @return new options
     */
    public ServeOptions withRequests(ServiceOptions newRequests) {
        return new ServeOptions(newRequests, streamsMax, streamBytes, streamIdle);
    }

    /**
     * The same with other limits of streams.
     *
     * @param newStreamsMax how many streams of one method a peer has at once
     * @param newStreamBytes how many bytes of a stream wait for its subscriber
     * @param newStreamIdle when a stream ends whose subscriber asks for nothing
     * @return new options
     */
    public ServeOptions withStreams(int newStreamsMax, int newStreamBytes, Duration newStreamIdle) {
        return new ServeOptions(requests, newStreamsMax, newStreamBytes, newStreamIdle);
    }
}
