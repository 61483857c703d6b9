package io.fairlead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.providers.TransportProviders;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class FairleadConfigTest {
    private static final ConfigKey<Integer> LINES_MAX =
            ConfigKey.count("pigeon.flights-max", 3, 1, 9, "Pigeons in flight.");

    @TempDir
    private Path folder;

    /** A transport that only has a name and a key. */
    private record Pigeon() implements TransportProvider {
        @Override
        public String name() {
            return "pigeon";
        }

        @Override
        public Availability availability() {
            return Availability.unavailable("it rains");
        }

        @Override
        public List<ConfigKey<?>> configKeys() {
            return List.of(LINES_MAX);
        }

        @Override
        public Transport open(TransportSetup setup) {
            throw new AssertionError("it rains");
        }
    }

    @Test
    void shouldHaveTheDefaultOfEveryKey() {
        FairleadConfig config = FairleadConfig.defaults();
        assertSame(config, FairleadConfig.defaults());
        assertEquals(ConfigKeys.all(), config.keys());
        for (ConfigKey<?> key : config.keys()) {
            assertEquals(key.defaultValue(), config.value(key));
            assertEquals("default", config.origin(key));
        }
        assertEquals("FairleadConfig[]", config.toString());
    }

    @Test
    void shouldLeaveTheOriginalAlone() {
        FairleadConfig changed = FairleadConfig.defaults().with(ConfigKeys.OPERATIONS_MAX, 16);
        assertEquals(16, changed.value(ConfigKeys.OPERATIONS_MAX));
        assertEquals("code", changed.origin(ConfigKeys.OPERATIONS_MAX));
        assertEquals(16384, FairleadConfig.defaults().value(ConfigKeys.OPERATIONS_MAX));
        assertEquals(17, changed.with(ConfigKeys.OPERATIONS_MAX, 17).value(ConfigKeys.OPERATIONS_MAX));
    }

    @Test
    void shouldHoldCodeToTheRangesToo() {
        FairleadConfig config = FairleadConfig.defaults();
        assertRefused(
                "worker.operations-max=15 is out of range: allowed 16 to 1048576 (code)",
                () -> config.with(ConfigKeys.OPERATIONS_MAX, 15));
        assertRefused(
                "liveness.timeout=99 ms is out of range: allowed 100 ms to 1 h (code)",
                () -> config.with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(99)));
        assertRefused(
                "close.timeout=-1 ms is out of range: allowed 0 ms to 10 minutes (code)",
                () -> config.with(ConfigKeys.CLOSE_TIMEOUT, Duration.ofMillis(-1)));
        assertRefused(
                "close.timeout=9223372036854775807 s is out of range: allowed 0 ms to 10 minutes (code)",
                () -> config.with(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(Long.MAX_VALUE)));
        assertRefused(
                "endpoint.eager-max=-1 B is not a size (units are case-sensitive: B, KiB, MiB, GiB, kB, MB, GB): allowed 0 B to 16 MiB (code)",
                () -> config.with(ConfigKeys.EAGER_MAX, -1));
        assertRefused(
                "idle.strategy=sleep is none of the choices: allowed backoff, busy-spin or blocking (code)",
                () -> config.with(ConfigKeys.IDLE_STRATEGY, "sleep"));
        assertRefused(
                "transports=tcp,, is not valid: allowed up to 16 names with commas between, each 1 to 32 of a-z 0-9 - (code)",
                () -> config.with(ConfigKeys.TRANSPORTS, "tcp,,"));
    }

    @Test
    void shouldKeepValuesOfCodeAsItKeepsThoseOfFiles() {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.IDLE_STRATEGY, "BLOCKING");
        assertEquals("blocking", config.value(ConfigKeys.IDLE_STRATEGY));
    }

    @Test
    void shouldTakeKeysThatItHasNeverHeardOfFromCode() {
        FairleadConfig config = FairleadConfig.defaults().with(LINES_MAX, 9);
        assertEquals(9, config.value(LINES_MAX));
        assertEquals(LINES_MAX, config.keys().getLast());
        assertEquals(
                ConfigKeys.all().size() + 1, config.with(LINES_MAX, 8).keys().size());
    }

    @Test
    void shouldLoadAFileAndTellWhereEachValueComesFrom() throws IOException {
        Path file = Files.writeString(folder.resolve("my.conf"), """
                # Slow network.
                liveness.timeout = 500 ms
                endpoint { eager-max = 1k }
                """);
        FairleadConfig config = FairleadConfig.load(file).with(ConfigKeys.POLICY, PathPolicy.TCP_ONLY);

        assertEquals(Duration.ofMillis(500), config.value(ConfigKeys.LIVENESS_TIMEOUT));
        assertEquals(file + ":2", config.origin(ConfigKeys.LIVENESS_TIMEOUT));
        assertEquals(1024, config.value(ConfigKeys.EAGER_MAX));
        assertEquals(file + ":3", config.origin(ConfigKeys.EAGER_MAX));
        assertEquals(
                "FairleadConfig[policy=tcp-only (code), liveness.timeout=500 ms (" + file
                        + ":2), endpoint.eager-max=1 KiB (" + file + ":3)]",
                config.toString());
    }

    @Test
    void shouldTakeCodeBeforeTheFile() throws IOException {
        Path file = Files.writeString(folder.resolve("my.conf"), "liveness.timeout = 500 ms");
        FairleadConfig config = FairleadConfig.load(file).with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(700));
        assertEquals(Duration.ofMillis(700), config.value(ConfigKeys.LIVENESS_TIMEOUT));
        assertEquals("code", config.origin(ConfigKeys.LIVENESS_TIMEOUT));
    }

    @Test
    void shouldReadNoSystemProperty() throws IOException {
        Path file = Files.writeString(folder.resolve("my.conf"), "policy = tcp-only");
        List<String> properties = List.of("policy", "fairlead.policy", "FAIRLEAD_POLICY");
        properties.forEach(property -> System.setProperty(property, "require-rdma"));
        try {
            assertEquals(PathPolicy.TCP_ONLY, FairleadConfig.load(file).value(ConfigKeys.POLICY));
            assertEquals(PathPolicy.AUTO, FairleadConfig.load().value(ConfigKeys.POLICY));
        } finally {
            properties.forEach(System::clearProperty);
        }
    }

    @Test
    void shouldKnowTheKeysOfTransportsThatAreThere() throws IOException {
        Path file = Files.writeString(folder.resolve("my.conf"), "pigeon.flights-max = 5");
        FairleadConfig config = TransportProviders.with(List.of(new Pigeon()), () -> FairleadConfig.load(file));
        assertEquals(5, config.value(LINES_MAX));
        assertEquals(LINES_MAX, config.keys().getLast());

        assertRefused(
                "unknown key: key=pigeon.flights-max; ",
                () -> TransportProviders.with(List.of(), () -> FairleadConfig.load(file)));
    }

    @Test
    void shouldRefuseAPolicyThatNamesNoTransport() throws IOException {
        Path file = Files.writeString(folder.resolve("my.conf"), "\npolicy = pigeno");
        assertRefused(
                "policy=pigeno is no policy and names no transport on the path: allowed auto, require-rdma, tcp-only,"
                        + " pigeon, did you mean pigeon? (" + file + ":2)",
                () -> TransportProviders.with(List.of(new Pigeon()), () -> FairleadConfig.load(file)));

        Files.writeString(file, "policy = Pigeon");
        FairleadConfig config = TransportProviders.with(List.of(new Pigeon()), () -> FairleadConfig.load(file));
        assertEquals(PathPolicy.named("pigeon"), config.value(ConfigKeys.POLICY));
        assertRefused(
                "policy=pigeon is no policy and names no transport on the path: allowed auto, require-rdma, tcp-only ("
                        + file + ":1)",
                () -> TransportProviders.with(List.of(), () -> FairleadConfig.load(file)));
    }

    @Test
    void shouldLoadWithoutAFile() {
        // Neither the module's folder nor the environment of a build holds a configuration; if they do, that is a
        // finding.
        assertEquals("FairleadConfig[]", FairleadConfig.load().toString());
    }

    @Test
    void shouldRefuseAFileThatIsNotThere() {
        Path file = folder.resolve("gone.conf");
        assertRefused(
                "configuration file does not exist: file=" + file + " (named by the caller)",
                () -> FairleadConfig.load(file));
    }

    @Test
    void shouldShowNoTypeOfTheParserToCallers() {
        for (Class<?> type : List.of(FairleadConfig.class, ConfigKey.class, ConfigKeys.class)) {
            for (Method method : type.getMethods()) {
                assertTrue(!method.toGenericString().contains("typesafe"), method::toGenericString);
            }
        }
    }

    private static void assertRefused(String expected, Runnable load) {
        FairleadException failure = assertThrows(FairleadException.class, load::run);
        assertEquals(FairleadException.Reason.CONFIGURATION, failure.reason());
        assertTrue(failure.getMessage().startsWith(expected), failure::getMessage);
        assertEquals(1, failure.getMessage().lines().count());
    }
}
