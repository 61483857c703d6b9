package io.fairlead.samples.demo;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Optional;

/** What {@code fairlead demo --json} prints. */
record DemoReport(List<Row> subscribers, boolean ok) {
    /** One subscriber. */
    record Row(
            String name,
            long sent,
            long received,
            long gaps,
            boolean checksumOk,
            PathRow path,
            double p50Us,
            double p99Us,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<String> error) {}

    /** The way that its data took, and why; empty texts if there was none. */
    record PathRow(String transport, String device, String reason) {
        static final PathRow NONE = new PathRow("", "", "never connected");
    }
}
