package io.fairlead.system.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Somebody who has only the README and the published artifacts compiles its examples, runs them, and gets shared memory. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ConsumerProjectTest {
    private static final Pattern DEPENDENCY =
            Pattern.compile("<artifactId>([^<]+)</artifactId>(\\s*<version>[^<]+</version>)?");

    /** The artifacts for applications, by the folders that they are made of. */
    static final Map<String, String> ARTIFACTS = new TreeMap<>(Map.ofEntries(
            Map.entry("dist/all", "fairlead"),
            Map.entry("core", "fairlead-core"),
            Map.entry("node", "fairlead-node"),
            Map.entry("services", "fairlead-services"),
            Map.entry("pubsub", "fairlead-pubsub"),
            Map.entry("security", "fairlead-security"),
            Map.entry("testing/testkit", "fairlead-testkit"),
            Map.entry("testing/layers", "fairlead-testkit-layers"),
            Map.entry("transport-tcp", "fairlead-transport-tcp"),
            Map.entry("transport-shm", "fairlead-transport-shm"),
            Map.entry("transport-ucx", "fairlead-transport-ucx"),
            Map.entry("metrics", "fairlead-metrics"),
            Map.entry("integrations/discovery-dns", "fairlead-discovery-dns")));

    /** Takes UCX's own shared memory, which only UCX needs these for. */
    private static final Map<String, String> UCX = Map.of("FAIRLEAD_TRANSPORTS", "ucx,tcp");

    private static final String NO_SIGNALS = "UCX_ERROR_SIGNALS= ";

    /** The README's command lines, in their order. */
    private static final int CLASS_PATH = 0;

    private static final int MODULE_PATH = 1;
    private static final int MODULE_PATH_WITH_UCX = 2;

    /** The README's examples. */
    private static final String NODE = "NodeMessages";

    private static final List<String> EXAMPLES = List.of(NODE, "TaggedMessages", "RemoteMemory", "PublishSubscribe");

    @TempDir
    private static Path folder;

    private static Published published;
    private static ConsumerProject project;

    @BeforeAll
    static void buildTheProject() throws Exception {
        published = Published.in(folder);
        project = new ConsumerProject(Files.createDirectory(folder.resolve("app")), published);
        for (String example : EXAMPLES) {
            project.add(example);
        }
        project.build();
    }

    @Test
    void shouldNeedOneDependencyWhoseVersionIsThatOfTheBom() {
        List<String> dependencies = DEPENDENCY
                .matcher(project.dependencies())
                .results()
                .map(found -> found.group(1) + (found.group(2) == null ? "" : " with version"))
                .toList();
        assertEquals(List.of("fairlead-bom with version", "fairlead"), dependencies);
    }

    @Test
    void shouldRunEveryExampleOnTheModulePathByTheCommandLineOfTheReadme() throws Exception {
        project.packModule();
        assertExamples(MODULE_PATH);
    }

    @Test
    void shouldRunEveryExampleOnTheClassPathByTheCommandLineOfTheReadme() throws Exception {
        project.packClasses();
        assertExamples(CLASS_PATH);
    }

    @Test
    void shouldRunAsAModuleThatRequiresAllAtOnce() throws Exception {
        project.packModuleThatRequires("io.fairlead.all");
        assertPath("shm", project.run(line(MODULE_PATH), Map.of()));
    }

    private static void assertExamples(int line) throws Exception {
        for (String example : EXAMPLES) {
            String text = project.run(project.commandLines(example).get(line), Map.of());
            assertTrue(text.contains("hello, "), () -> example + ": " + text);
            assertFalse(text.contains("WARNING"), () -> example + ": " + text);
            if (example.equals(NODE)) {
                assertPath("shm", text);
            }
        }
    }

    @Test
    void shouldTakeUcxByTheCommandLineOfTheReadme() throws Exception {
        project.packModule();
        assertPath("ucx", withUcx(project.run(line(MODULE_PATH_WITH_UCX), UCX)));
    }

    @Test
    void shouldNameTheVariableThatIsMissing() throws Exception {
        project.packModule();
        String line = line(MODULE_PATH_WITH_UCX);
        assertTrue(line.startsWith(NO_SIGNALS), line);
        String text = project.run(line.substring(NO_SIGNALS.length()), UCX);
        assertTrue(text.matches("(?s).*path: tcp over [^\n]*UCX_ERROR_SIGNALS=.*hello, node\n.*"), text);
    }

    @Test
    void shouldNameTheFlagThatIsMissingWhereTheJvmRefusesNativeCallsWithoutIt() throws Exception {
        project.packModule();
        String line = line(MODULE_PATH).replaceFirst("--enable-native-access=\\S+", "--illegal-native-access=deny");
        String text = project.run(line, Map.of());
        assertTrue(
                text.matches("(?s).*path: tcp over [^\n]*--enable-native-access=io.fairlead.transport.shm.*"
                        + "hello, node\n.*"),
                text);
    }

    /** A command line of the README that starts the example which prints its path. */
    private static String line(int line) {
        return project.commandLines(NODE).get(line);
    }

    private static void assertPath(String transport, String text) {
        assertTrue(text.matches("(?s).*path: " + transport + " over memory \\[.*hello, node\n.*"), text);
        assertFalse(text.contains("WARNING"), text);
    }

    private static String withUcx(String text) {
        return text.contains("was not found; install the package libucx0") ? abort("no UCX here: " + text) : text;
    }

    @Test
    void shouldPublishSourcesAndJavadoc() throws Exception {
        String made = published.isBundle() ? "sources,javadoc" : System.getProperty("fairlead.test.published");
        assumeTrue(made != null, "a quick build makes neither");
        List<String> missing = new ArrayList<>();
        for (String artifact : ARTIFACTS.values()) {
            for (String kind : made.split(",", -1)) {
                Path jar = published.accompanying(artifact, kind);
                String expected = kind.equals("sources") ? "module-info.java" : "index.html";
                if (!Files.exists(jar) || !holds(jar, expected)) {
                    missing.add(jar + ": " + expected);
                }
            }
        }
        assertEquals(List.of(), missing);
    }

    private static boolean holds(Path jar, String entry) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            return zip.getEntry(entry) != null;
        }
    }
}
