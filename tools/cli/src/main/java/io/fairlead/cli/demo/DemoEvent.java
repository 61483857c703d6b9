package io.fairlead.cli.demo;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.fairlead.Path;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** What the demo's processes report to their parent, one JSON document per line. */
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME, property = "event")
sealed interface DemoEvent {
    JsonMapper JSON = JsonMapper.builder().build();

    /** The publisher accepts subscribers. */
    record Listening(int port) implements DemoEvent {}

    /** A subscriber has its publisher, on this path. */
    record Connected(String transport, String device, String reason) implements DemoEvent {
        static Connected over(Path path) {
            return new Connected(path.transport(), path.device(), path.reason());
        }
    }

    /** Where a publisher or subscriber is, and how often its connection has gone on over another one. */
    record Progress(long messages, long missed, long switches, double p50Us, double p99Us) implements DemoEvent {}

    /** The publisher's end. */
    record Published(long sent) implements DemoEvent {}

    /** A subscriber's end. */
    record Received(long received, List<Verdict.Gap> gaps, long switches, String checksum, double p50Us, double p99Us)
            implements DemoEvent {
        Verdict.Claim claim() {
            return new Verdict.Claim(received, gaps, checksum);
        }
    }

    /** Writes an event to the parent. */
    static void tell(DemoEvent event) {
        System.out.println(JSON.writerFor(DemoEvent.class).writeValueAsString(event));
    }

    /** Reads an event of a child; empty for any other line. */
    static Optional<DemoEvent> parse(String line) {
        try {
            return Optional.of(JSON.readValue(line, DemoEvent.class));
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }
}
