package io.fairlead.cli.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Somebody who has only docs/spring.md and the published artifacts builds its sample in a project of their own, and it runs over shared memory. */
@Timeout(300)
final class SpringProjectTest {
    private static final String STARTER = "fairlead-spring-boot-starter";
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

    private static Path root;
    private static Path project;

    @BeforeAll
    static void buildTheProject() throws Exception {
        Path here = Path.of("").toAbsolutePath();
        root = Files.exists(here.resolve("samples")) ? here : here.getParent();
        // Not from the class path: the launcher builds what the command depends on, tests included, and is to do
        // without Spring.
        // The modules' order in pom.xml has this jar made before.
        Path jar = root.resolve("spring/target").resolve(STARTER + "-" + ConsumerProjectTest.VERSION + ".jar");
        assumeTrue(Files.exists(jar), () -> jar + " has not been made; this test wants mvn verify");
        Path published = folder.resolve("published");
        ConsumerProjectTest.publish("fairlead-parent", root.resolve("pom.xml"), published);
        ConsumerProjectTest.publish("fairlead-bom", root.resolve("bom/pom.xml"), published);
        for (var artifact : ConsumerProjectTest.ARTIFACTS.entrySet()) {
            ConsumerProjectTest.publish(
                    artifact.getValue(), root.resolve(artifact.getKey()).resolve("pom.xml"), published);
            ConsumerProjectTest.publish(artifact.getValue(), ConsumerProjectTest.jar(artifact.getValue()), published);
        }
        ConsumerProjectTest.publish(STARTER, root.resolve("spring/pom.xml"), published);
        ConsumerProjectTest.publish(STARTER, jar, published);

        project = Files.createDirectory(folder.resolve("app"));
        Path sources = Files.createDirectories(project.resolve("src/main/java/com/example"));
        Path samples = root.resolve("spring/src/test/java/io/fairlead/spring/samples");
        for (String sample : new String[] {"PriceBoard", "PriceFeed"}) {
            Files.writeString(
                    sources.resolve(sample + ".java"),
                    Files.readString(samples.resolve(sample + ".java"))
                            .replaceFirst("package [\\w.]+;", "package com.example;"));
        }
        Path resources = Files.createDirectories(project.resolve("src/main/resources"));
        Files.copy(root.resolve("spring/src/test/resources/application.yml"), resources.resolve("application.yml"));
        Files.writeString(sources.resolve("App.java"), APP);
        Files.writeString(sources.resolve("Bare.java"), BARE);
        ConsumerProject.compile(project, pom(published), Path.of(System.getProperty("localRepository")));
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

    private static String pom(Path published) throws IOException {
        var version =
                Pattern.compile("<spring-boot.version>([^<]+)<").matcher(Files.readString(root.resolve("pom.xml")));
        assertTrue(version.find(), "no version of Spring Boot in pom.xml");
        return String.format(
                Locale.ROOT,
                """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>com.example</groupId>
                  <artifactId>app</artifactId>
                  <version>1</version>
                  <properties>
                    <maven.compiler.release>25</maven.compiler.release>
                    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
                  </properties>
                  <repositories><repository>
                    <id>published</id><url>file://%s</url><snapshots><enabled>true</enabled></snapshots>
                  </repository></repositories>
                  <dependencyManagement><dependencies>
                    <dependency><groupId>io.fairlead</groupId><artifactId>fairlead-bom</artifactId><version>%s</version><type>pom</type><scope>import</scope></dependency>
                    <dependency><groupId>org.springframework.boot</groupId><artifactId>spring-boot-dependencies</artifactId><version>%s</version><type>pom</type><scope>import</scope></dependency>
                  </dependencies></dependencyManagement>
                  <dependencies>
                    <dependency><groupId>io.fairlead</groupId><artifactId>fairlead-spring-boot-starter</artifactId></dependency>
                    <dependency><groupId>io.fairlead</groupId><artifactId>fairlead-metrics</artifactId></dependency>
                    <dependency><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-webmvc</artifactId></dependency>
                    <dependency><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-actuator</artifactId></dependency>
                  </dependencies>
                  %s
                </project>
                """,
                published,
                ConsumerProjectTest.VERSION,
                version.group(1),
                ConsumerProject.build(ConsumerProjectTest.plugins(root)));
    }
}
