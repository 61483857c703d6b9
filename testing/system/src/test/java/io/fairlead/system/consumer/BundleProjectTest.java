package io.fairlead.system.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Each artifact of a release bundle alone: an application that depends on it and on nothing else compiles and does something with it. Libraries come from
 * Maven Central in the versions that such an application gets, which are not all those of the build.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class BundleProjectTest {
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(fairlead(?:-[a-z-]+)?)</artifactId>");

    private static final String TRANSPORTS = """
            ServiceLoader.load(io.fairlead.spi.TransportProvider.class).stream()
                    .map(provider -> provider.get().name()).sorted().toList()""";
    private static final String SCHEMES = """
            ServiceLoader.load(io.fairlead.node.discovery.ResolverProvider.class).stream()
                    .map(provider -> provider.get().scheme()).sorted().toList()""";

    /** By artifacts, what an application does with it, and what comes of that. */
    private record Use(String artifact, String expression, String answer) {
        @Override
        public String toString() {
            return artifact;
        }
    }

    static final Set<Use> USES = Set.of(
            new Use("fairlead", TRANSPORTS, "[shm, tcp, ucx]"),
            new Use("fairlead-core", "FairleadConfig.load().value(io.fairlead.config.ConfigKeys.POLICY)", "auto"),
            new Use("fairlead-node", "io.fairlead.node.BackPressure.valueOf(\"WAIT\")", "WAIT"),
            new Use("fairlead-services", "io.fairlead.services.ServeOptions.DEFAULT.streamsMax()", "64"),
            new Use(
                    "fairlead-pubsub",
                    "io.fairlead.pubsub.FlowOptions.defaults().withElementsMax(7).elementsMax()",
                    "7"),
            new Use(
                    "fairlead-security",
                    "io.fairlead.security.SecurityKeys.CERTIFICATE.name()",
                    "security.certificate"),
            new Use("fairlead-metrics", "io.fairlead.metrics.FairleadMeter.CONNECTS.name()", "CONNECTS"),
            new Use("fairlead-transport-tcp", TRANSPORTS, "[tcp]"),
            new Use("fairlead-transport-shm", TRANSPORTS, "[shm]"),
            new Use("fairlead-transport-ucx", TRANSPORTS, "[ucx]"),
            new Use("fairlead-discovery-dns", SCHEMES, "[dns, static]"),
            new Use("fairlead-discovery-zookeeper", SCHEMES, "[static, zk]"),
            new Use("fairlead-discovery-etcd", SCHEMES, "[etcd, static]"),
            new Use("fairlead-discovery-kubernetes", SCHEMES, "[k8s, static]"),
            new Use("fairlead-codec-jackson", "new io.fairlead.codec.jackson.JacksonCodec().name()", "json"),
            new Use("fairlead-codec-protobuf", "new io.fairlead.codec.protobuf.ProtobufCodec().name()", "protobuf"),
            new Use("fairlead-netty", "new io.fairlead.netty.FairleadSocketChannel().config().isAutoRead()", "true"),
            new Use(
                    "fairlead-spring-boot-starter",
                    "new io.fairlead.spring.FairleadAutoConfiguration().getClass().getSimpleName()",
                    "FairleadAutoConfiguration"),
            // As is Spring's test library.
            new Use(
                    "fairlead-spring-boot-test",
                    "io.fairlead.spring.test.FairleadTestClient.class.getSimpleName()",
                    "FairleadTestClient"),
            new Use("fairlead-testkit", TRANSPORTS, "[loopback]"),
            new Use("fairlead-service-test", "io.fairlead.servicetest.MemoryRegistry.members(\"none\")", "[]"),
            // JUnit is the application's: without it the annotation can be named, as the compiler does.
            new Use(
                    "fairlead-service-test-junit",
                    "io.fairlead.servicetest.junit.WithTestNodes.class.getSimpleName()",
                    "WithTestNodes"),
            new Use(
                    "fairlead-testkit-layers",
                    "io.fairlead.testkit.layers.LayerSuites.class.getSimpleName()",
                    "LayerSuites"),
            new Use(
                    "fairlead-samples",
                    "io.fairlead.samples.training.TrainingException.class.getSimpleName()",
                    "TrainingException"),
            new Use("fairlead-cli", "io.fairlead.cli.FairleadCommand.class.getSimpleName()", "FairleadCommand"));

    @TempDir
    private static Path folder;

    private static Published published;

    @BeforeAll
    static void unpackTheBundle() throws IOException {
        assumeTrue(
                System.getProperty("fairlead.bundle") != null,
                "no bundle; tools/build/bundle VERSION makes one, and -Dfairlead.bundle names it");
        published = Published.in(folder);
    }

    @Test
    void shouldUseEachArtifactOfTheBom() throws IOException {
        Set<String> all = ARTIFACT.matcher(Files.readString(published.root().resolve("dist/bom/pom.xml")))
                .results()
                .map(found -> found.group(1))
                .filter(artifact -> !artifact.equals("fairlead-bom"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(all, USES.stream().map(Use::artifact).collect(Collectors.toCollection(TreeSet::new)));
    }

    @ParameterizedTest
    @FieldSource("USES")
    void shouldNeedNothingElse(Use use) throws Exception {
        Path project = Files.createDirectory(folder.resolve(use.artifact()));
        Path sources = Files.createDirectories(project.resolve("src/main/java/com/example"));
        Files.writeString(sources.resolve("App.java"), String.format(Locale.ROOT, """
                package com.example;

                import io.fairlead.FairleadConfig;
                import java.util.ServiceLoader;

                public final class App {
                    public static void main(String[] arguments) throws Exception {
                        System.out.println("answer: " + %s);
                    }
                }
                """, use.expression()));
        ConsumerProject.compile(
                project,
                published,
                ConsumerProject.imports("io.fairlead:fairlead-bom:" + published.version())
                        + ConsumerProject.dependencies("io.fairlead:" + use.artifact()));
        String output = ConsumerProject.run(
                project,
                "java --enable-native-access=ALL-UNNAMED -cp 'target/classes:lib/*' com.example.App",
                Map.of());
        assertEquals(
                "answer: " + use.answer(),
                output.lines().filter(line -> line.startsWith("answer")).collect(Collectors.joining("\n")),
                output);
    }
}
