package io.fairlead.system.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Somebody whose project has JUnit 5.11 runs the tests of docs/testing.md there. */
@Timeout(300)
final class ServiceTestProjectTest {
    /** Runs the tests by JUnit's own launcher, as Surefire does. */
    private static final String APP = """
            package com.example;

            import java.io.PrintWriter;
            import org.junit.platform.engine.discovery.DiscoverySelectors;
            import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
            import org.junit.platform.launcher.core.LauncherFactory;
            import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

            public final class App {
                public static void main(String[] arguments) {
                    var summary = new SummaryGeneratingListener();
                    LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request()
                            .selectors(DiscoverySelectors.selectClass(MembersTest.class)).build(), summary);
                    summary.getSummary().printFailuresTo(new PrintWriter(System.out));
                    System.out.println("succeeded: " + summary.getSummary().getTestsSucceededCount() + " of "
                            + summary.getSummary().getTestsFoundCount());
                    System.exit(0);
                }
            }
            """;

    @TempDir
    private Path folder;

    @Test
    void shouldRunWithTheJUnitOfTheProject() throws Exception {
        Published published = Published.in(folder);
        published.add("testing/service-test", "fairlead-service-test");
        published.add("testing/service-test-junit", "fairlead-service-test-junit");
        published.add("integrations/codec-jackson", "fairlead-codec-jackson");
        Path project = Files.createDirectory(folder.resolve("app"));
        Path sources = Files.createDirectories(project.resolve("src/main/java/com/example"));
        for (String kept : new String[] {"main TypedOrders", "test MembersTest"}) {
            String[] names = kept.split(" ");
            String file = "samples/src/" + names[0] + "/java/io/fairlead/samples/snippets/" + names[1] + ".java";
            Files.writeString(
                    sources.resolve(names[1] + ".java"),
                    Files.readString(published.root().resolve(file))
                            .replaceFirst("package [\\w.]+;", "package com.example;")
                            .replace("io.fairlead.samples.snippets.", "com.example."));
        }
        Files.writeString(sources.resolve("App.java"), APP);
        ConsumerProject.compile(
                project,
                published,
                ConsumerProject.imports("io.fairlead:fairlead-bom:" + published.version())
                        + ConsumerProject.dependencies(
                                "io.fairlead:fairlead",
                                "io.fairlead:fairlead-codec-jackson",
                                "io.fairlead:fairlead-service-test-junit",
                                "org.junit.jupiter:junit-jupiter:5.11.4",
                                "org.junit.platform:junit-platform-launcher:1.11.4"));
        assertTrue(Files.exists(project.resolve("lib/junit-jupiter-api-5.11.4.jar")), "the project's own");
        assertFalse(Files.exists(project.resolve("lib/junit-platform-suite-api-1.11.4.jar")), "nothing of the testkit");
        String output = ConsumerProject.run(
                project,
                "java --enable-native-access=ALL-UNNAMED -cp 'target/classes:lib/*' com.example.App",
                Map.of());
        assertEquals(
                "succeeded: 3 of 3",
                output.lines()
                        .filter(line -> line.startsWith("succeeded"))
                        .findFirst()
                        .orElse(output),
                output);
    }
}
