package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.SecurityMode;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.pubsub.NodePublisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Properties become values of keys, and what is wrong with one is told in one line before anything starts. */
@Timeout(120)
final class PropertyTest {
    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(FairleadAutoConfiguration.class));

    private static Throwable failure(AssertableApplicationContext context) {
        return Objects.requireNonNull(context.getStartupFailure(), "it has started");
    }

    private static FairleadConfig yaml(String text) throws Exception {
        StandardEnvironment environment = new StandardEnvironment();
        List<PropertySource<?>> sources = new YamlPropertySourceLoader()
                .load("application.yml", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8), "test"));
        sources.forEach(environment.getPropertySources()::addFirst);
        return PropertyReader.read(environment);
    }

    @Test
    void shouldSetKeysOfEveryTypeByTheirOwnUnits() throws Exception {
        FairleadConfig config = yaml("""
                name: board
                fairlead:
                  node:
                    name: ${name}-7
                    threads: 2
                    back-pressure: fail
                  liveness.timeout: 1500 ms
                  endpoint.eager-max: 32 KiB
                  security.allow-insecure: true
                  transports: [shm, tcp]
                """);
        assertEquals("board-7", config.value(ConfigKeys.NODE_NAME));
        assertEquals(2, config.value(NodeKeys.THREADS));
        assertEquals(Duration.ofMillis(1500), config.value(ConfigKeys.LIVENESS_TIMEOUT));
        assertEquals(32 << 10, config.value(ConfigKeys.EAGER_MAX));
        assertTrue(config.value(ConfigKeys.SECURITY_ALLOW_INSECURE));
        assertEquals("shm,tcp", config.value(ConfigKeys.TRANSPORTS).replace(" ", ""));
        assertEquals("default", config.origin(ConfigKeys.QUEUE_BYTES));
    }

    @Test
    void shouldTakeTheWordsOffAndOnWhichYamlReadsAsFalseAndTrue() throws Exception {
        FairleadConfig config = yaml(
                "fairlead: {security.mode: off, metrics.tls: off, tcp.checksum: on, security.allow-insecure: true}");
        assertEquals(SecurityMode.OFF, config.value(ConfigKeys.SECURITY_MODE));
        assertEquals("off", config.value(ConfigKeys.METRICS_TLS));
        assertTrue(config.value(ConfigKeys.SECURITY_ALLOW_INSECURE));
        assertTrue(config.toString().contains("tcp.checksum=on"), config::toString);
    }

    @Test
    void shouldTakeVariablesOfTheEnvironmentUnderFairleadsNames() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        "systemEnvironment",
                        Map.of(
                                "FAIRLEAD_NODE_QUEUE_MAX", "17",
                                "FAIRLEAD_NODE_THREADS", "",
                                "FAIRLEAD_SPRING_PUBLISHER_ADDRESS", "localhost:7400",
                                "FAIRLEAD_HOME", "somewhere")));
        environment
                .getPropertySources()
                .addLast(new MapPropertySource("application", Map.of("fairlead.node.queue-max", "18")));
        FairleadConfig config = PropertyReader.read(environment);
        assertEquals(17, config.value(NodeKeys.QUEUE_MAX));
        assertEquals(1, config.value(NodeKeys.THREADS));
        assertEquals("localhost:7400", config.value(SpringKeys.PUBLISHER_ADDRESS));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            node.threads: 0 | fairlead.node.threads=0 is out of range: allowed 1 to 1024
            node.threads: 1025 | fairlead.node.threads=1025 is out of range: allowed 1 to 1024
            liveness.timeout: 1 ms | fairlead.liveness.timeout=1 ms is out of range: allowed 100 ms to 1 h
            endpoint.eager-max: 17 MiB | fairlead.endpoint.eager-max=17 MiB is out of range: allowed 0 B to 16 MiB
            security.mode: plain | fairlead.security.mode=plain is none of the choices: allowed off, authenticated or encrypted
            spring.listener.queue-max: 0 | fairlead.spring.listener.queue-max=0 is out of range: allowed 1 to 1048576
            spring.publisher.address: 7400 | fairlead.spring.publisher.address=7400 is not valid: allowed host:port, or [IPv6 address]:port
            spring.publisher.address: "a:65536" | fairlead.spring.publisher.address=a:65536 is not valid: allowed host:port, or [IPv6 address]:port
            spring.peers: "a=localhost:99999" | fairlead.spring.peers=a=localhost:99999 is not valid: allowed name=host:port with commas between, or a name such as dns:host:port for host:port
            spring.subscriber.address: "localhost:100000" | fairlead.spring.subscriber.address=localhost:100000 is not valid: allowed host:port, [IPv6 address]:port, or a name such as dns:host:port
            spring.peers: feed | fairlead.spring.peers=feed is not valid: allowed name=host:port with commas between, or a name such as dns:host:port for host:port
            spring.peers: "a=h:1,a=h:2" | fairlead.spring.peers=a=h:1,a=h:2 is not valid: allowed name=host:port with commas between, or a name such as dns:host:port for host:port
            node.thread: 3 | unknown property: property=fairlead.node.thread, did you mean fairlead.node.threads?
            carrier-pigeons: 3 | unknown property: property=fairlead.carrier-pigeons; properties are the keys of config/fairlead.conf with fairlead. before them, and a transport's keys need its module on the path
            """)
    void shouldSayInOneLineWhatIsWrongAndWhere(String line, String message) {
        FairleadException refused = assertThrows(FairleadException.class, () -> yaml("fairlead:\n  " + line + "\n"));
        assertEquals(FairleadException.Reason.CONFIGURATION, refused.reason());
        assertEquals(
                message + " (Byte array resource [test] - 2:" + (line.indexOf(':') + 5) + ")", refused.getMessage());
    }

    @Test
    void shouldTakeBothEndsOfRanges() throws Exception {
        assertEquals(1, yaml("fairlead.node.threads: 1").value(NodeKeys.THREADS));
        assertEquals(1024, yaml("fairlead.node.threads: 1024").value(NodeKeys.THREADS));
        assertEquals(
                "[::1]:65535",
                yaml("fairlead.spring.publisher.address: '[::1]:65535'").value(SpringKeys.PUBLISHER_ADDRESS));
        assertEquals(256, yaml("fairlead.spring.listener.concurrency: 256").value(SpringKeys.LISTENER_CONCURRENCY));
    }

    @Test
    void shouldFailTheStartByThatLine() {
        runner.withPropertyValues("fairlead.node.threads=0").run(context -> {
            Throwable failure = failure(context);
            FailureAnalysis analysis = new FairleadFailureAnalyzer().analyze(failure);
            assertTrue(
                    analysis.getDescription()
                            .startsWith("fairlead.node.threads=0 is out of range: allowed 1 to 1024 ("),
                    analysis.getDescription());
            assertFalse(analysis.getDescription().contains("\n"));
            assertFalse(analysis.getAction().isEmpty());
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "on", "1", "maybe", "", "TRUE"})
    void shouldFailTheStartWhereAFlagIsNeitherTrueNorFalse(String word) {
        for (String flag : List.of("spring.enabled", "spring.observations", "spring.grpc.server")) {
            runner.withPropertyValues("fairlead." + flag + "=" + word).run(context -> {
                FailureAnalysis analysis =
                        Objects.requireNonNull(new FairleadFailureAnalyzer().analyze(failure(context)));
                String line = "fairlead." + flag + "=" + word + " is not valid: allowed true or false";
                assertTrue(analysis.getDescription().startsWith(line), analysis::getDescription);
                assertEquals(1, analysis.getDescription().lines().count());
            });
        }
    }

    @Test
    void shouldTakeAFlagThatAScriptHasClearedAsNotSet() {
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "systemEnvironment", Map.of("FAIRLEAD_SPRING_ENABLED", ""))))
                .run(context -> assertTrue(context.getBeanNamesForType(Node.class).length > 0));
    }

    @Test
    void shouldFailTheStartWhereTwoPropertiesDoNotFit() {
        runner.withPropertyValues("fairlead.endpoint.credit-bytes=64 KiB", "fairlead.endpoint.eager-max=64 KiB")
                .run(context -> {
                    FailureAnalysis analysis = new FairleadFailureAnalyzer().analyze(failure(context));
                    assertTrue(
                            analysis.getDescription().startsWith("endpoint.credit-bytes is too small"),
                            analysis.getDescription());
                });
    }

    @Test
    void shouldTellAnAddressThatIsTaken() {
        runner.withPropertyValues("fairlead.spring.publisher.address=127.0.0.1:0")
                .run(first -> {
                    int port = first.getBean(NodePublisher.class).address().getPort();
                    runner.withPropertyValues("fairlead.spring.publisher.address=127.0.0.1:" + port)
                            .run(second -> {
                                FailureAnalysis analysis = new FairleadFailureAnalyzer().analyze(failure(second));
                                assertTrue(analysis.getDescription().contains(Integer.toString(port)));
                                assertTrue(analysis.getAction().contains("port 0"), analysis.getAction());
                            });
                });
    }

    @Test
    void shouldBeFoundBySpringWithoutBeingNamed() {
        SpringApplication application = new SpringApplication(Empty.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (var context = application.run(
                "--fairlead.node.name=found",
                "--fairlead.spring.enabled=true",
                "--spring.config.location=optional:none/")) {
            assertEquals("found", context.getBean(Node.class).context().config().value(ConfigKeys.NODE_NAME));
        }
    }

    /** Nothing but what Spring finds by itself. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Empty {}
}
