package io.fairlead.cli.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Somebody who has only docs/adapters.md and the published artifacts builds its samples in projects of their own, and they take shared memory. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AdapterProjectTest {
    private static final Pattern SETTING = Pattern.compile("<([a-z-]+)\\.version>([^<]+)</");
    private static final String OPTIONS =
            " --enable-native-access=ALL-UNNAMED --add-opens=java.base/java.nio=ALL-UNNAMED -Darrow.allocation.manager.type=Unsafe";

    @TempDir
    private static Path folder;

    private static Path root;
    private static Path published;

    @BeforeAll
    static void publishTheArtifacts() throws IOException {
        Path here = Path.of("").toAbsolutePath();
        root = Files.exists(here.resolve("samples")) ? here : here.getParent();
        published = folder.resolve("published");
        ConsumerProjectTest.publish("fairlead-parent", root.resolve("pom.xml"), published);
        ConsumerProjectTest.publish("fairlead-bom", root.resolve("bom/pom.xml"), published);
        for (var artifact : ConsumerProjectTest.ARTIFACTS.entrySet()) {
            publish(artifact.getKey(), artifact.getValue());
        }
        publish("netty", "fairlead-netty");
    }

    private static void publish(String module, String artifact) throws IOException {
        ConsumerProjectTest.publish(artifact, root.resolve(module).resolve("pom.xml"), published);
        ConsumerProjectTest.publish(artifact, ConsumerProjectTest.jar(artifact), published);
    }

    @ParameterizedTest
    @CsvSource({
        "GrpcSample, 'greet(config, \"world\")', 'hello, world', 'io.grpc:grpc-netty:grpc io.grpc:grpc-stub:grpc'",
        "FlightSample, 'sum(config, 1000)', '499500', "
                + "'org.apache.arrow:flight-core:arrow org.apache.arrow:arrow-memory-unsafe:arrow'",
        "ReactorSample, 'echo(config, \"echo\")', 'echo', 'io.projectreactor.netty:reactor-netty-core:reactor-netty'"
    })
    void shouldBuildAndRunOutsideTheTree(String sample, String call, String answer, String libraries) throws Exception {
        Path project = Files.createDirectory(folder.resolve(sample));
        Path sources = Files.createDirectories(project.resolve("src/main/java/com/example"));
        Path tests = root.resolve("netty/src/test/java/io/fairlead/netty/samples");
        Files.writeString(
                sources.resolve(sample + ".java"),
                Files.readString(tests.resolve(sample + ".java"))
                        .replaceFirst("package [\\w.]+;", "package com.example;"));
        Files.writeString(sources.resolve("App.java"), String.format(Locale.ROOT, """
                package com.example;

                import io.fairlead.FairleadConfig;

                public final class App {
                    public static void main(String[] arguments) throws Exception {
                        FairleadConfig config = FairleadConfig.load();
                        System.out.println("answer: " + %s.%s);
                        System.exit(0);
                    }
                }
                """, sample, call));
        ConsumerProject.compile(project, pom(libraries), Path.of(System.getProperty("localRepository")));
        String output = ConsumerProject.run(
                project,
                "java" + OPTIONS + " -cp 'target/classes:lib/*' com.example.App",
                // Nothing else than shared memory will do.
                Map.of("FAIRLEAD_POLICY", "shm"));
        assertEquals(
                "answer: " + answer,
                output.lines().filter(line -> line.startsWith("answer")).collect(Collectors.joining("\n")),
                output);
    }

    private static String pom(String libraries) throws IOException {
        Map<String, String> versions = SETTING.matcher(Files.readString(root.resolve("pom.xml")))
                .results()
                .collect(Collectors.toMap(found -> found.group(1), found -> found.group(2), (first, _) -> first));
        StringBuilder dependencies = new StringBuilder();
        for (String library : libraries.split(" ")) {
            String[] names = library.split(":");
            dependencies.append(String.format(
                    Locale.ROOT,
                    "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>%n",
                    names[0],
                    names[1],
                    versions.get(names[2])));
        }
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
                    <dependency><groupId>io.netty</groupId><artifactId>netty-bom</artifactId><version>%s</version><type>pom</type><scope>import</scope></dependency>
                  </dependencies></dependencyManagement>
                  <dependencies>
                    <dependency><groupId>io.fairlead</groupId><artifactId>fairlead</artifactId></dependency>
                    <dependency><groupId>io.fairlead</groupId><artifactId>fairlead-netty</artifactId></dependency>
                    %s
                  </dependencies>
                  %s
                </project>
                """,
                published,
                ConsumerProjectTest.VERSION,
                versions.get("netty"),
                dependencies,
                ConsumerProject.build(ConsumerProjectTest.plugins(root)));
    }
}
