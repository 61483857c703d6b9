package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A line of a process's log in its JSON form. */
record LogLine(String level, String logger, String message, JsonNode mdc) {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    static LogLine parse(String text) {
        JsonNode line = JSON.readTree(text);
        for (String key : List.of("timestamp", "level", "threadName", "loggerName", "formattedMessage")) {
            assertTrue(line.hasNonNull(key), () -> key + " is missing: " + text);
        }
        return new LogLine(
                line.get("level").asString(),
                line.get("loggerName").asString(),
                line.get("formattedMessage").asString(),
                line.path("mdc"));
    }

    /** The value of an MDC key; empty if it is not set. */
    String mdc(String key) {
        return mdc.path(key).asString("");
    }
}
