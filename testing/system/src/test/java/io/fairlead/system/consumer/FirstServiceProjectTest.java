package io.fairlead.system.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Somebody who copies the files of docs/first-service.md, and nothing else, has a service that is tested, runs, and is called. */
@Timeout(300)
final class FirstServiceProjectTest {
    @TempDir
    private Path folder;

    @Test
    void shouldTestAndRunTheService() throws Exception {
        Published published = Published.in(folder);
        published.add("integrations/codec-jackson", "fairlead-codec-jackson");
        published.add("testing/service-test", "fairlead-service-test");
        Path project = Files.createDirectory(folder.resolve("orders"));
        String page = published.withVersion(Files.readString(published.root().resolve("docs/first-service.md")));

        List<MatchResult> files = Pattern.compile("(?ms)^`(src/\\S+\\.java)`:\\R\\R```java\\R(.*?)^```$")
                .matcher(page)
                .results()
                .toList();
        assertEquals(4, files.size());
        for (MatchResult file : files) {
            Path path = project.resolve(file.group(1));
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.group(2));
        }
        String repository = "<repositories><repository><id>published</id><url>file://" + published.repository()
                + "</url><snapshots><enabled>true</enabled></snapshots></repository></repositories>\n";
        Files.writeString(
                project.resolve("pom.xml"),
                block("xml", page).replace("  <dependencyManagement>", repository + "  <dependencyManagement>"));
        Files.writeString(project.resolve("settings.xml"), ConsumerProject.settings(project, published));
        ConsumerProject.run(project, "mvn --batch-mode --quiet --settings settings.xml package", Map.of());
        String report = Files.readString(project.resolve("target/surefire-reports/com.example.OrdersTest.txt"));
        assertTrue(report.contains("Tests run: 1, Failures: 0, Errors: 0, Skipped: 0"), report);

        List<String> lines = block("sh", page).lines().toList();
        assertEquals(2, lines.size(), lines::toString);
        String run = lines.getFirst().replace(":7400", ":0") + " >server.txt & server=$!\n"
                + "until grep -q 'serving at' server.txt; do kill -0 $server || exit 1; sleep 0.1; done\n"
                + "port=$(sed -n 's/^serving at .*:\\([0-9]*\\)$/\\1/p' server.txt)\n"
                + lines.getLast().replace(":7400", ":$port") + "\n"
                + "kill $server; wait $server; echo status $?";
        assertAnswers(ConsumerProject.run(project, run, Map.of()));

        // As beyond loopback, with a secret that is made as that of the container.
        String secret = Pattern.compile("(?m)^openssl .* >secret.*$")
                .matcher(page)
                .results()
                .findFirst()
                .orElseThrow()
                .group();
        assertAnswers(ConsumerProject.run(
                project,
                secret + "\n" + run.replace("127.0.0.1:0 ", "0.0.0.0:0 "),
                Map.of(
                        "FAIRLEAD_SECURITY_MODE",
                        "authenticated",
                        "FAIRLEAD_SECURITY_SHARED_SECRET_FILE",
                        project.resolve("secret").toString())));
    }

    /** Gradle itself is not on Maven Central: its file names the same libraries as the pom, which Maven resolves above. */
    @Test
    void shouldDependOnTheSameLibrariesByGradle() throws Exception {
        String page = Files.readString(RepositoryRoot.path().resolve("docs/first-service.md"));
        Set<String> maven = new TreeSet<>();
        for (MatchResult dependency : Pattern.compile("(?s)<dependency>(.*?)</dependency>")
                .matcher(block("xml", page))
                .results()
                .toList()) {
            String coordinates = Stream.of("groupId", "artifactId", "version")
                    .map(tag -> element(tag, dependency.group(1)))
                    .flatMap(Optional::stream)
                    .collect(Collectors.joining(":"));
            maven.add(element("scope", dependency.group(1)).orElse("compile") + " " + coordinates);
        }
        Map<String, String> scopes = Map.of(
                "implementation",
                "compile",
                "runtimeOnly",
                "runtime",
                "testImplementation",
                "test",
                "platform",
                "import");
        Set<String> gradle = Pattern.compile("(\\w+)\\(\"([\\w.-]+:[^\"]+)\"")
                .matcher(block("kotlin", page))
                .results()
                .filter(library -> scopes.containsKey(library.group(1)))
                .map(library -> scopes.get(library.group(1)) + " " + library.group(2))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(maven, gradle);
        assertTrue(maven.size() > 5, maven::toString);
    }

    private static Optional<String> element(String tag, String xml) {
        return Pattern.compile("<" + tag + ">(.*?)</" + tag + ">")
                .matcher(xml)
                .results()
                .findFirst()
                .map(found -> found.group(1));
    }

    private static void assertAnswers(String output) {
        assertTrue(output.contains("Receipt[number=1, order=Order[item=rope, count=2]]\n"), output);
        assertTrue(output.contains("INVALID_ARGUMENT count=0; order at least 1\n"), output);
        assertTrue(output.endsWith("status 143\n"), output);
    }

    private static String block(String language, String page) {
        return Pattern.compile("(?ms)^```" + language + "\\R(.*?)^```$")
                .matcher(page)
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
    }
}
