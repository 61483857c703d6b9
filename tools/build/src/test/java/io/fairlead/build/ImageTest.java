package io.fairlead.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code tools/build/image} in a clone of its own, with a JDK, a Maven and tools that only note what they are asked for: the real ones take
 * minutes and a network, and the command checks by itself what they have made.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ImageTest {
    @TempDir
    private Path folder;

    private Path calls;
    private String output = "";

    @BeforeEach
    void makeCloneWithOtherTools() throws IOException {
        Path root = Repository.root();
        Repository.copyLauncher(folder);
        Files.copy(root.resolve("LICENSE"), folder.resolve("LICENSE"));
        Files.writeString(
                folder.resolve("pom.xml"),
                Files.readString(root.resolve("pom.xml"))
                        .replaceFirst("(?m)^  <version>.*</version>", "  <version>1.0.0-SNAPSHOT</version>")
                        .replaceAll("(?s)<modules>.*</modules>", "<modules>\n<module>tools/cli</module>\n</modules>"));
        Files.createDirectories(folder.resolve(".mvn"));
        Files.createDirectories(folder.resolve("config"));
        Files.createDirectories(folder.resolve("tools/cli/src/main"));
        Files.writeString(folder.resolve("tools/cli/pom.xml"), "<version>1.0.0-SNAPSHOT</version>\n");
        Path config = Files.createDirectories(folder.resolve("tools/build/config/image"));
        for (String file : List.of("Containerfile", "fairlead", "complete-root")) {
            Files.copy(root.resolve("tools/build/config/image").resolve(file), config.resolve(file));
        }
        calls = folder.resolve("calls");
        Files.createDirectories(folder.resolve("jdk/bin"));
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"25\"\n");
        program("java", "");
        program("javac", "");
        program("jdeps", "echo java.base");
        program("jlink", "");
        program("dpkg-query", "printf installed");
        program("mmdebstrap", "");
        program("mvn", """
                dist=$(printf '%s\\n' "$@" | sed -n 's/^-Dfairlead.dist=//p')
                mkdir -p "$dist" target/quick/fairlead-cli
                touch target/quick/fairlead-cli/fairlead-cli-1.jar
                """);
    }

    @ParameterizedTest
    @ValueSource(strings = {"latest", "1.2", "1.2.3-SNAPSHOT", "../1.2.3", "--tag=1.2.3", "1.2.3 1.2.4", "''"})
    void shouldRefuseWhatIsNoVersion(String arguments) throws Exception {
        assertEquals(2, run("tools/build/image " + arguments), output);
        assertEquals(1, output.lines().count(), output);
        assertTrue(output.startsWith("fairlead: "), output);
        assertFalse(Files.exists(folder.resolve("target")), "nothing was begun");
    }

    @Test
    void shouldTellWhatItMakes() throws Exception {
        assertEquals(0, run("tools/build/image --help"), output);
        assertTrue(output.startsWith("Usage: tools/build/image [VERSION]\n"), output);
        assertFalse(Files.exists(calls), output);
    }

    /** The image is asked for its version when it is made, and refused if another answers, or none. */
    @ParameterizedTest
    @CsvSource({
        "image, echo fairlead 1.0.0, 0",
        "image 1.2.3-rc.1, echo fairlead 1.2.3-rc.1, 0",
        "image 1.2.3, echo fairlead 1.0.0, 1",
        "image, exit 127, 1"
    })
    void shouldStartTheCommandFromTheArchive(String arguments, String answer, int status) throws Exception {
        assumeTrue(
                Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid")), "root makes images");
        program("buildah", """
                case " $* " in
                    *' push '*) for last; do :; done; file=${last#oci-archive:}; printf made >"${file%%:*}" ;;
                    *' from '*) echo container ;;
                    *' inspect '*) echo fairlead ;;
                    *' run '*) ANSWER ;;
                esac
                """.replace("ANSWER", answer));
        assertEquals(status, run("tools/build/" + arguments), output);
        String version = arguments.equals("image") ? "1.0.0" : arguments.substring("image ".length());
        String archive = "target/image/fairlead-" + version + ".tar";
        assertEquals(status == 0, output.endsWith("\n" + archive + "\n"), output);
        assertEquals(status == 0, Files.exists(folder.resolve(archive)), "a bad image does not stay");
        List<String> asked = Files.readAllLines(calls);
        assertTrue(asked.stream().anyMatch(call -> call.contains("--tag fairlead:" + version + " ")), asked::toString);
        assertTrue(asked.getLast().endsWith(" container -- fairlead --version"), asked::toString);
    }

    @Test
    void shouldStartTheCommandAsTheLauncherDoes() throws IOException {
        String start = read("tools/build/config/image/fairlead").replace("\"", "");
        String launcher = read("fairlead");
        List<String> shared = Pattern.compile(
                        "(?m)^export UCX_.*$|--enable-native-access=\\S+|io\\.fairlead\\.cli\\.\\w+")
                .matcher(launcher)
                .results()
                .map(found -> found.group())
                .distinct()
                .toList();
        assertEquals(5, shared.size(), shared::toString);
        for (String part : shared) {
            assertTrue(start.contains(part), part);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"train", "shared-memory"})
    void shouldFitTheManifestsForKubernetes(String name) throws IOException {
        String job = read("config/kubernetes/" + name + ".yaml");
        String version = first("(?m)^  <version>(.*)-SNAPSHOT</version>", read("pom.xml"));
        assertTrue(job.contains("image: fairlead:" + version + "\n"), version);
        String user = first("(?m)^USER (\\d+):\\1$", read("tools/build/config/image/Containerfile"));
        assertTrue(job.contains("fsGroup: " + user + "\n"), user);
        assertTrue(
                read("tools/build/config/image/complete-root").contains("fairlead:x:" + user + ":" + user + ":"), user);
    }

    private static String read(String file) throws IOException {
        return Files.readString(Repository.root().resolve(file));
    }

    private static String first(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
    }

    private void program(String name, String script) throws IOException {
        Path file = Files.writeString(
                folder.resolve("jdk/bin").resolve(name),
                "#!/bin/sh\necho \"" + name + " $*\" >>'" + calls + "'\n" + script + "\n");
        assertTrue(file.toFile().setExecutable(true));
    }

    private int run(String line) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", line)
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().put("PATH", folder.resolve("jdk/bin") + ":" + System.getenv("PATH"));
        Process process = builder.start();
        process.getOutputStream().close();
        output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(50, TimeUnit.SECONDS));
        return process.exitValue();
    }
}
