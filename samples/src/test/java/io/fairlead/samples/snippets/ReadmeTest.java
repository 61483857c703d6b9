package io.fairlead.samples.snippets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The examples of README and documents are the compiled ones, and they do what they say. */
@Timeout(120)
final class ReadmeTest {
    private static final Pattern JAVA_BLOCK = Pattern.compile("(?ms)^```java\\R(.*?)^```$");
    private static final Pattern REGION = Pattern.compile("(?ms)^ *// @start region=\"example\"\\R(.*?)^ *// @end$");

    static Stream<Arguments> mains() {
        return Stream.of(
                Arguments.of((Consumer<String[]>) TaggedMessages::main, "hello, worker\n"),
                Arguments.of((Consumer<String[]>) RemoteMemory::main, "hello, memory\n"),
                Arguments.of((Consumer<String[]>) TopicFlow::main, "request\nand\nreceive\n"),
                Arguments.of((Consumer<String[]>) PeersByName::main, "hello, feed\n42\n"),
                Arguments.of((Consumer<String[]>) NodeMessages::main, "path: \\S+ over \\S+.*: .+\nhello, node\n"),
                Arguments.of(
                        (Consumer<String[]>) PublishSubscribe::main,
                        "greetings 1: hello, topic\ngreetings 2: hello, topic\ngreetings 3: hello, topic\n"));
    }

    @ParameterizedTest
    @MethodSource("mains")
    void shouldPrintWhatTheExampleSays(Consumer<String[]> main, String expected) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        try (PrintStream capture = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            System.setOut(capture);
            main.accept(new String[0]);
        } finally {
            System.setOut(before);
        }
        String text = printed.toString(StandardCharsets.UTF_8);
        assertTrue(text.matches(expected), text);
    }

    @ParameterizedTest
    @CsvSource({"README.md, NodeMessages TaggedMessages", "docs/examples.md, RemoteMemory PublishSubscribe"})
    void shouldHoldEveryExampleAndNoOtherCode(String document, String examples) throws IOException {
        List<String> written = JAVA_BLOCK
                .matcher(Files.readString(root().resolve(document)))
                .results()
                .map(block -> block.group(1))
                .toList();
        List<String> compiled =
                Stream.of(examples.split(" ")).map(ReadmeTest::example).toList();
        assertEquals(compiled, written, "copy the regions of samples/src/main/java/io/fairlead/samples/snippets");
    }

    /** A stranger reads the first screens. */
    @Test
    void shouldBeShortAndShowJavaEarly() throws IOException {
        List<String> lines = Files.readAllLines(root().resolve("README.md"));
        assertTrue(lines.size() <= 150, () -> "lines=" + lines.size() + ", limit=150");
        assertTrue(lines.indexOf("```java") < 40, () -> "first Java in line " + (lines.indexOf("```java") + 1));
    }

    @Test
    void shouldHoldTheExampleOfAFlow() throws IOException {
        List<String> inDocument = JAVA_BLOCK
                .matcher(Files.readString(root().resolve("docs/flow.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertEquals(example("TopicFlow"), inDocument.getFirst(), "copy the region of TopicFlow");
        assertEquals(1, inDocument.size(), inDocument::toString);
    }

    @Test
    void shouldHoldTheExamplesOfDiscovery() throws IOException {
        List<String> inDocument = JAVA_BLOCK
                .matcher(Files.readString(root().resolve("docs/discovery.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
        Path file = root().resolve("samples/src/main/java/io/fairlead/samples/snippets/PeersByName.java");
        List<String> compiled = Pattern.compile("(?ms)^ *// @start region=\"\\w+\"\\R(.*?)^ *// @end$")
                .matcher(Files.readString(file))
                .results()
                .map(region -> region.group(1).stripTrailing().stripIndent() + "\n")
                .toList();
        assertEquals(compiled, inDocument, "copy the regions of PeersByName");
    }

    private static String example(String name) {
        try {
            Path file = root().resolve("samples/src/main/java/io/fairlead/samples/snippets/" + name + ".java");
            MatchResult region =
                    REGION.matcher(Files.readString(file)).results().findFirst().orElseThrow();
            return region.group(1).stripTrailing().stripIndent() + "\n";
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The folder of the launcher. The testkit has this as RepositoryRoot, and samples do not depend on it. */
    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(".ci/run"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
