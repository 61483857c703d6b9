package io.fairlead.system.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Somebody who has only docs/spring.md and the published artifacts builds its sample in a project of their own, and it runs over shared memory. */
@Timeout(300)
final class SpringProjectTest {
    private static final String RUN =
            "java --enable-native-access=ALL-UNNAMED -cp 'target/classes:lib/*' com.example.App";

    /** Asks the sample over HTTP, as the sample's own test does. */
    private static final String APP = """
            package com.example;

            import java.net.URI;
            import java.net.http.HttpClient;
            import java.net.http.HttpRequest;
            import java.net.http.HttpResponse;
            import java.util.ArrayList;
            import java.util.List;
            import java.util.concurrent.locks.LockSupport;
            import org.springframework.boot.SpringApplication;

            public final class App {
                public static void main(String[] arguments) throws Exception {
                    List<String> all = new ArrayList<>(List.of(arguments));
                    all.add("--server.port=0");
                    try (PriceFeed feed = new PriceFeed("feed", 7420, 7421);
                            var board = SpringApplication.run(PriceBoard.class, all.toArray(String[]::new));
                            HttpClient client = HttpClient.newHttpClient()) {
                        String base = "http://localhost:" + board.getEnvironment().getProperty("local.server.port");
                        while (!get(client, base + "/actuator/health").contains("connected by shm")
                                || get(client, base + "/prices/ACME").equals("none")) {
                            LockSupport.parkNanos(10_000_000);
                        }
                        System.out.println("answer: " + get(client, base + "/quotes/ACME"));
                        System.out.println("health: " + get(client, base + "/actuator/health"));
                        System.out.println("meters: " + board.getBeansOfType(io.micrometer.core.instrument.MeterRegistry.class)
                                .values().iterator().next().getMeters().stream()
                                .anyMatch(meter -> meter.getId().getName().startsWith("fairlead.")));
                    }
                    System.exit(0);
                }

                private static String get(HttpClient client, String uri) throws Exception {
                    return client.send(HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofString())
                            .body();
                }
            }
            """;

    /** An application that has nothing but the starter. */
    private static final String BARE = """
            package com.example;

            import io.fairlead.node.Node;
            import org.springframework.boot.SpringApplication;
            import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
            import org.springframework.context.annotation.Configuration;

            @Configuration(proxyBeanMethods = false)
            @EnableAutoConfiguration
            public class Bare {
                public static void main(String[] arguments) {
                    try (var context = SpringApplication.run(Bare.class, arguments)) {
                        System.out.println("node: " + context.getBean(Node.class).context().config());
                        System.out.println("health: " + context.containsBean("fairleadHealthIndicator"));
                    }
                }
            }
            """;

    @TempDir
    private static Path folder;

    private static Path project;

    @BeforeAll
    static void buildTheProject() throws Exception {
        Published published = Published.in(folder);
        published.add("integrations/spring", "fairlead-spring-boot-starter");
        Path root = published.root();
        project = Files.createDirectory(folder.resolve("app"));
        Path sources = Files.createDirectories(project.resolve("src/main/java/com/example"));
        Path samples = root.resolve("integrations/spring/src/test/java/io/fairlead/spring/samples");
        for (String sample : new String[] {"PriceBoard", "PriceFeed"}) {
            Files.writeString(
                    sources.resolve(sample + ".java"),
                    Files.readString(samples.resolve(sample + ".java"))
                            .replaceFirst("package [\\w.]+;", "package com.example;"));
        }
        Path resources = Files.createDirectories(project.resolve("src/main/resources"));
        Files.copy(
                root.resolve("integrations/spring/src/test/resources/application.yml"),
                resources.resolve("application.yml"));
        Files.writeString(sources.resolve("App.java"), APP);
        Files.writeString(sources.resolve("Bare.java"), BARE);
        ConsumerProject.compile(
                project,
                published,
                ConsumerProject.imports(
                                "io.fairlead:fairlead-bom:" + published.version(),
                                "org.springframework.boot:spring-boot-dependencies:"
                                        + published.libraryVersion("spring-boot"))
                        + ConsumerProject.dependencies(
                                "io.fairlead:fairlead-spring-boot-starter",
                                "io.fairlead:fairlead-metrics",
                                "org.springframework.boot:spring-boot-starter-webmvc",
                                "org.springframework.boot:spring-boot-starter-actuator"));
    }

    @Test
    void shouldBuildAndRunOutsideTheTree() throws Exception {
        // Nothing else than shared memory will do.
        String output = ConsumerProject.run(project, RUN, Map.of("FAIRLEAD_POLICY", "shm"));
        assertEquals("feed quotes ACME", line(output, "answer: "), output);
        assertEquals("true", line(output, "meters: "), output);
        String health = line(output, "health: ");
        assertTrue(health.contains("\"priceBoard.price\":\"live\""), health);
        assertFalse(health.contains("7421"), health);
    }

    @Test
    void shouldFailTheStartByOneLineAboutThePropertyThatIsWrong() throws Exception {
        String output = ConsumerProject.run(project, RUN + " --fairlead.node.threads=0 || true", Map.of());
        assertTrue(
                output.contains(
                        "\nfairlead.node.threads=0 is out of range: allowed 1 to 1024 (\"fairlead.node.threads\" from property"
                                + " source \"commandLineArgs\")\n"),
                output);
        assertFalse(output.contains("\tat "), output);
    }

    @Test
    void shouldStartWithNothingButTheStarter() throws Exception {
        String output = ConsumerProject.run(
                project,
                "mkdir bare && cp lib/*.jar bare && cd bare && rm -f fairlead-metrics* micrometer-* prometheus-* tomcat-* spring-web*"
                        + " spring-boot-health* spring-boot-actuator* spring-boot-micrometer* spring-boot-web* spring-boot-tomcat*"
                        + " spring-boot-servlet* spring-boot-http* && cd .. && "
                        + RUN.replace("lib/*", "bare/*").replace("App", "Bare"),
                Map.of());
        assertTrue(line(output, "node: ").contains("node.name=price-board (code)"), output);
        assertEquals("false", line(output, "health: "), output);
    }

    private static String line(String output, String prefix) {
        return output.lines()
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length()))
                .collect(Collectors.joining("\n"));
    }
}
