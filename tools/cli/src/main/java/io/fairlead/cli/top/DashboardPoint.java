package io.fairlead.cli.top;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What the dashboard knows of one moment.
 *
 * @param seconds since the dashboard began
 * @param processes the processes that answered
 */
record DashboardPoint(double seconds, List<Row> processes) {
    /** One process, with the latencies of its sends by the transport that it uses most. */
    record Row(
            String name,
            double published,
            double delivered,
            double missed,
            long lag,
            double creditsUsed,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Double> p50Us,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Double> p99Us,
            List<Frame.Path> paths) {
        static Row of(String name, Frame.Figures figures) {
            Optional<Frame.Operation> sends = figures.operations().stream()
                    .filter(operation -> operation.operation().equals("send"))
                    .max(Comparator.comparingDouble(Frame.Operation::perSecond));
            return new Row(
                    name,
                    figures.pubsub().publishedPerSecond(),
                    figures.pubsub().deliveredPerSecond(),
                    figures.pubsub().missedPerSecond(),
                    figures.pubsub().lagMax(),
                    figures.queues().creditsUsed(),
                    sends.flatMap(Frame.Operation::p50Us),
                    sends.flatMap(Frame.Operation::p99Us),
                    figures.paths());
        }
    }
}
