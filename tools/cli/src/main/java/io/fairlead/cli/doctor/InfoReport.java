package io.fairlead.cli.doctor;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fairlead.TransportInfo;
import java.util.List;
import java.util.Locale;

/** What {@code fairlead info --json} prints. */
record InfoReport(List<TransportRow> transports, List<KeyRow> keys) {
    /** A transport; the cause is empty where it is available, version and capabilities are where it is not. */
    record TransportRow(String name, String version, boolean available, String cause, List<String> capabilities) {
        static TransportRow of(TransportInfo info) {
            return new TransportRow(
                    info.name(),
                    info.version(),
                    info.available(),
                    info.cause(),
                    info.capabilities().stream()
                            .sorted()
                            .map(capability ->
                                    capability.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                            .toList());
        }
    }

    /** A configuration key; the origin says where its value comes from. */
    record KeyRow(
            String name,
            @JsonProperty("default") String byDefault,
            String value,
            String origin,
            String range,
            String environment,
            String description) {}
}
