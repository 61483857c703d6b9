package io.fairlead.system.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Somebody who has only docs/adapters.md and the published artifacts builds its samples in projects of their own, and they take shared memory. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AdapterProjectTest {
    private static final String OPTIONS =
            " --enable-native-access=ALL-UNNAMED --add-opens=java.base/java.nio=ALL-UNNAMED -Darrow.allocation.manager.type=Unsafe";

    @TempDir
    private static Path folder;

    private static Published published;

    @BeforeAll
    static void publishTheArtifacts() throws IOException {
        published = Published.in(folder);
        published.add("integrations/netty", "fairlead-netty");
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
        Path tests = published.root().resolve("integrations/netty/src/test/java/io/fairlead/netty/samples");
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
        ConsumerProject.compile(project, published, dependencies(libraries));
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

    /** Of libraries that are given as group, artifact and the name that the build gives their version. */
    private static String dependencies(String libraries) throws IOException {
        List<String> all = new ArrayList<>(List.of("io.fairlead:fairlead", "io.fairlead:fairlead-netty"));
        for (String library : libraries.split(" ", -1)) {
            int colon = library.lastIndexOf(':');
            all.add(library.substring(0, colon + 1) + published.libraryVersion(library.substring(colon + 1)));
        }
        return ConsumerProject.imports(
                        "io.fairlead:fairlead-bom:" + published.version(),
                        "io.netty:netty-bom:" + published.libraryVersion("netty"))
                + ConsumerProject.dependencies(all.toArray(String[]::new));
    }
}
