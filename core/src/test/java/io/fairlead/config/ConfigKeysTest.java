package io.fairlead.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
final class ConfigKeysTest {
    /** The name, default and both sides of both limits of every key with a range. */
    @ParameterizedTest
    @CsvSource({
        "connect.timeout, 5 s, 9 ms, 10 ms, 10 minutes, 600001 ms",
        "close.timeout, 1 s, -1 ms, 0 ms, 10 minutes, 600001 ms",
        "liveness.timeout, 2 s, 99 ms, 100 ms, 1 h, 3600001 ms",
        "stall.timeout, 30 s, 99 ms, 100 ms, 24 h, 86400001 ms",
        "worker.operations-max, 16384, 15, 16, 1048576, 1048577",
        "endpoints-max, 65535, 0, 1, 65535, 65536",
        "endpoint.credit-bytes, 1 MiB, 4095, 4 KiB, 1 GiB, 1073741825",
        "endpoint.eager-max, 64 KiB, -1, 0 B, 16 MiB, 16777217",
        "endpoint.queue-bytes, 4 MiB, 4095, 4 KiB, 1 GiB, 1073741825",
        "listener.pending-max, 128, 0, 1, 65535, 65536",
        "regions-max, 65536, 0, 1, 16777216, 16777217",
        "security.acl-interval, 5 s, 9 ms, 10 ms, 1 h, 3600001 ms",
        "source.connections-max, 0, -1, 0, 16777216, 16777217",
        "source.handshake-rate, 0, -1, 0, 1048576, 1048577",
        "identity.connections-max, 0, -1, 0, 16777216, 16777217",
        "identity.handshake-rate, 0, -1, 0, 1048576, 1048577",
        "identity.regions-max, 0, -1, 0, 16777216, 16777217",
        "identity.region-bytes-max, 0 B, -1, 0 B, 262144 GiB, 262145 GiB"
    })
    void shouldHoldLimits(String name, String defaultText, String below, String min, String max, String above) {
        checkLimits(key(name), defaultText, below, min, max, above);
    }

    private static <T> void checkLimits(
            ConfigKey<T> key, String defaultText, String below, String min, String max, String above) {
        assertEquals(defaultText, key.format(key.defaultValue()));
        assertEquals(min, key.format(key.parse(min)));
        assertEquals(max, key.format(key.parse(max)));
        assertEquals(min + " to " + max, key.range());
        assertThrows(IllegalArgumentException.class, () -> key.parse(below), below);
        assertThrows(IllegalArgumentException.class, () -> key.parse(above), above);
    }

    static Stream<Arguments> words() {
        String letters = "a".repeat(32);
        String sixteen = IntStream.range(0, 16).mapToObj(i -> "t" + i).collect(Collectors.joining(","));
        return Stream.of(
                Arguments.of("node.name", "", List.of("a".repeat(64)), List.of("a".repeat(65), "a\tb")),
                Arguments.of(
                        "transports",
                        "",
                        List.of("tcp", "tcp,ucx", letters, sixteen),
                        List.of("tcp,", ",", "TCP/IP", letters + "a", sixteen + ",t16")),
                Arguments.of(
                        "policy",
                        "auto",
                        List.of("require-rdma", "tcp-only", "ucx", letters),
                        List.of("", "two words", letters + "a")),
                Arguments.of(
                        "idle.strategy", "backoff", List.of("busy-spin", "blocking"), List.of("", "spin", "sleeping")));
    }

    @ParameterizedTest
    @MethodSource("words")
    void shouldHoldWords(String name, String defaultText, List<String> allowed, List<String> refused) {
        ConfigKey<?> key = key(name);
        assertEquals(defaultText, text(key, key.defaultValue()));
        allowed.forEach(text -> assertEquals(text, text(key, key.parse(text))));
        refused.forEach(text -> assertThrows(IllegalArgumentException.class, () -> key.parse(text), text));
    }

    private static <T> String text(ConfigKey<T> key, Object value) {
        return key.format(key.type().cast(value));
    }

    @Test
    void shouldReadTransportNamesInAnyLayout() {
        assertEquals("tcp,ucx", ConfigKeys.TRANSPORTS.parse(" tcp ,ucx, tcp"));
        assertEquals("", ConfigKeys.TRANSPORTS.parse("  "));
    }

    @Test
    void shouldListEveryConstantOnce() throws IllegalAccessException {
        Set<Object> constants = new HashSet<>();
        for (var field : ConfigKeys.class.getDeclaredFields()) {
            if (Modifier.isPublic(field.getModifiers())) {
                constants.add(field.get(null));
            }
        }
        assertEquals(constants, new HashSet<>(ConfigKeys.all()));
        assertEquals(constants.size(), ConfigKeys.all().size());
    }

    @Test
    void shouldHaveNamesAndVariablesOfTheirOwn() {
        long names = ConfigKeys.all().stream().map(ConfigKey::name).distinct().count();
        long variables = ConfigKeys.all().stream()
                .map(ConfigKey::environmentVariable)
                .distinct()
                .count();
        assertEquals(ConfigKeys.all().size(), names);
        assertEquals(ConfigKeys.all().size(), variables);
    }

    @Test
    void shouldDescribeEveryKeyInOneSentence() {
        for (ConfigKey<?> key : ConfigKeys.all()) {
            assertTrue(key.description().matches("[A-Z][^\n]*\\."), key::description);
            assertTrue(
                    Arrays.stream(key.reference().split("\n")).allMatch(line -> line.length() <= 120), key::reference);
        }
    }

    private static ConfigKey<?> key(String name) {
        return ConfigKeys.all().stream()
                .filter(key -> key.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
