package io.fairlead.cli.demo;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Optional;

/**
 * What {@code fairlead demo --json} prints.
 *
 * @param subscribers a row each
 * @param ok whether each got what it must have got
 * @param warmUpSeconds so long from its first row on a subscriber's times were left out, while processes loaded and compiled their code
 * @param security how all connections were secured, if they were
 */
public record DemoReport(
        List<Row> subscribers,
        boolean ok,
        double warmUpSeconds,
        @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<String> security) {
    /**
     * One subscriber.
     *
     * @param name what it is called
     * @param sent rows that were sent
     * @param received rows that it got
     * @param gaps rows that were reported to it as missed
     * @param checksumOk whether what it got is proved
     * @param path the way that its data took
     * @param p50Us median from publish to handler, by a clock that only processes of one host share
     * @param p99Us the 99th percentile of the same
     * @param switches how often its connection has gone on over another one, if it has
     * @param error what failed
     */
    public record Row(
            String name,
            long sent,
            long received,
            long gaps,
            boolean checksumOk,
            PathRow path,
            double p50Us,
            double p99Us,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Long> switches,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<String> error) {}

    /**
     * The way that its data took, and why; empty texts if there was none.
     *
     * @param transport the transport's name
     * @param device what it runs over
     * @param reason why it was chosen
     */
    public record PathRow(String transport, String device, String reason) {
        static final PathRow NONE = new PathRow("", "", "never connected");
    }
}
