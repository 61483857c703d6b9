package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.json.JsonParserFactory;

/** The metadata that editors complete and check properties by has every key, as the key itself describes it. */
@Timeout(60)
final class MetadataTest {
    private static final Path FILE = Path.of(System.getProperty("basedir", "."))
            .resolve("src/main/resources/META-INF/spring-configuration-metadata.json");

    /** The loopback transport comes with the testkit, which is on the path of tests alone. */
    private static final List<ConfigKey<?>> KEYS = FairleadConfig.load().keys().stream()
            .filter(key -> !key.name().startsWith("loopback."))
            .toList();

    @Test
    void shouldBeWrittenFromTheKeys() throws IOException {
        String expected = metadata();
        if ("rewrite".equals(System.getProperty("fairlead.metadata"))) {
            Files.writeString(FILE, expected);
        } else {
            assertEquals(
                    expected,
                    Files.readString(FILE),
                    "the metadata is not what the keys say; run this test with -Dfairlead.metadata=rewrite");
        }
    }

    @Test
    void shouldNameEveryKeyOnceInWellFormedJson() throws IOException {
        Map<String, Object> read = JsonParserFactory.getJsonParser().parseMap(Files.readString(FILE));
        List<Object> names = ((List<?>) read.get("properties"))
                .stream()
                        .map(property -> (Object) ((Map<?, ?>) property).get("name"))
                        .toList();
        assertEquals(
                KEYS.stream().map(key -> (Object) ("fairlead." + key.name())).toList(), names);
        for (String prefix : List.of("tcp.", "shm.", "ucx.", "node.", "security.", "spring.")) {
            assertTrue(KEYS.stream().anyMatch(key -> key.name().startsWith(prefix)), prefix);
        }
    }

    private static String metadata() {
        return "{\n  \"groups\": [{\"name\": \"fairlead\", \"description\": \"Fairlead's configuration keys.\"}],\n"
                + "  \"properties\": [\n"
                + KEYS.stream().map(MetadataTest::property).collect(Collectors.joining(",\n"))
                + "\n  ],\n  \"hints\": [\n"
                + KEYS.stream()
                        .filter(key -> key.type().isEnum() || key.range().startsWith("off"))
                        .map(MetadataTest::hint)
                        .collect(Collectors.joining(",\n"))
                + "\n  ]\n}\n";
    }

    private static <T> String property(ConfigKey<T> key) {
        String unit = key.unit().isEmpty() ? "" : " A bare number is " + key.unit() + ".";
        return "    {\"name\": " + quoted("fairlead." + key.name()) + ", \"type\": \"" + type(key)
                + "\", \"description\": "
                + quoted(key.description() + " Range: " + key.range() + "." + unit) + ", \"defaultValue\": "
                + quoted(key.format(key.defaultValue())) + "}";
    }

    /** Sizes and durations are text, since Fairlead's units are not those of Spring's types. */
    private static String type(ConfigKey<?> key) {
        if (key.type() == Boolean.class) {
            return "java.lang.Boolean";
        }
        boolean number = key.type() == Integer.class || key.type() == Long.class;
        return number && key.unit().isEmpty() && key.type() != Duration.class
                ? key.type().getName()
                : "java.lang.String";
    }

    private static String hint(ConfigKey<?> key) {
        return "    {\"name\": " + quoted("fairlead." + key.name()) + ", \"values\": ["
                + List.of(key.range().split(", | or ", -1)).stream()
                        .map(word -> "{\"value\": " + quoted(word) + "}")
                        .collect(Collectors.joining(", "))
                + "]}";
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
