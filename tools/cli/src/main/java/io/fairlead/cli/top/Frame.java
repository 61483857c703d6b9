package io.fairlead.cli.top;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Optional;

/**
 * What {@code fairlead top} shows at a time, and prints with {@code --json}. Rates are over the time between two scrapes.
 *
 * @param processes in the order in which they were named
 */
record Frame(List<Row> processes) {
    /**
     * A process.
     *
     * @param address where it was scraped
     * @param error why there is nothing else, if there is not
     * @param figures its metrics
     */
    record Row(
            String address,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<String> error,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Figures> figures) {
        static Row of(String address, Figures figures) {
            return new Row(address, Optional.empty(), Optional.of(figures));
        }

        static Row failed(String address, String error) {
            return new Row(address, Optional.of(error), Optional.empty());
        }
    }

    /**
     * The figures of a process.
     *
     * @param seconds between the two scrapes
     */
    record Figures(
            double seconds,
            List<Endpoints> endpoints,
            List<Path> paths,
            List<Operation> operations,
            List<Requests> requests,
            Queues queues,
            Progress progress,
            PubSub pubsub,
            Switches switches,
            List<Failures> peerFailures) {}

    /** Endpoints in one state of their lives. */
    record Endpoints(String transport, String state, long count) {}

    /** Connected endpoints that took one path for one reason. */
    record Path(String transport, String path, String reason, long endpoints) {}

    /** Operations of one kind, with the latencies of operations that were timed since the last scrape. */
    record Operation(
            String transport,
            String operation,
            double perSecond,
            double bytesPerSecond,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Double> p50Us,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Double> p99Us) {}

    /**
     * Requests of one service that ended since the last scrape, with the durations of those that were timed.
     *
     * @param side caller, or service
     * @param failedPerSecond those with another status than OK
     */
    record Requests(
            String service,
            String side,
            double okPerSecond,
            double failedPerSecond,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Double> p50Us,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Double> p99Us) {}

    /** What waits, and what is held up: the share of the time between a post that was refused and the next that was taken. */
    record Queues(
            long inFlight,
            long receivesPosted,
            long messagesWaiting,
            long messagesWaitingBytes,
            long creditsOutstanding,
            long creditsLimit,
            double heldUp) {
        /** The share of credits that is used. */
        double creditsUsed() {
            return creditsLimit == 0 ? 0 : (double) creditsOutstanding / creditsLimit;
        }
    }

    /** The duty cycle. */
    record Progress(double callsPerSecond, double idleShare, double longestGapMs, double stallMs) {}

    /** Publishing and subscribing. */
    record PubSub(
            long published,
            long delivered,
            double publishedPerSecond,
            double deliveredPerSecond,
            double missedPerSecond,
            long subscribers,
            long subscriptions,
            long lag,
            long lagMax) {}

    /** Connections with {@code endpoint.failover} that broke and went on, or did not, since the process began, and bytes sent again for that. */
    record Switches(long wentOn, long failed, long replayedBytes) {}

    /** Endpoints that failed after they were connected, since the process began. */
    record Failures(String cause, long count) {}
}
