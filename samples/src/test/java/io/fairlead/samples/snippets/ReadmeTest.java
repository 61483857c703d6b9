package io.fairlead.samples.snippets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
                Arguments.of(
                        (Consumer<String[]>) ReadmeTest::topicMessages,
                        "prices 1: rope 12\nprices 2: block 7\nprices 3: cleat 3\n"),
                Arguments.of((Consumer<String[]>) PeersByName::main, "hello, feed\n42\n"),
                Arguments.of(
                        (Consumer<String[]>) TypedOrders::main,
                        "Receipt.number=1, order=Order.item=rope, count=2..\n".repeat(2)
                                + "INVALID_ARGUMENT count=0; order at least 1\n3\n(Receipt.*\n){3}"),
                Arguments.of((Consumer<String[]>) NodeMessages::main, "path: \\S+ over \\S+.*: .+\nhello, node\n"),
                Arguments.of(
                        (Consumer<String[]>) PublishSubscribe::main,
                        "greetings 1: hello, topic\ngreetings 2: hello, topic\ngreetings 3: hello, topic\n"));
    }

    private static void topicMessages(String[] args) {
        try {
            TopicMessages.main(args);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
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

    @ParameterizedTest
    @CsvSource({
        "docs/discovery.md, main PeersByName",
        "docs/services.md, main TypedOrders",
        "docs/testing.md, test MembersTest integrations/spring-test/src/test/java/io/fairlead/spring/test/StockTest.java",
        "docs/coming-from.md, main TopicMessages"
    })
    void shouldHoldEveryRegionOfItsExamples(String document, String examples) throws IOException {
        List<String> inDocument = JAVA_BLOCK
                .matcher(Files.readString(root().resolve(document)))
                .results()
                .map(block -> block.group(1))
                .toList();
        List<String> compiled = new ArrayList<>();
        String[] names = examples.split(" ");
        for (int i = 0; i < names.length; i++) {
            boolean elsewhere = names[i].endsWith(".java");
            compiled.addAll(regions(
                    elsewhere
                            ? names[i]
                            : "samples/src/" + names[i] + "/java/io/fairlead/samples/snippets/" + names[++i]
                                    + ".java"));
        }
        assertEquals(compiled, inDocument, "copy the regions of " + examples);
    }

    @Test
    void shouldHoldTheFilesOfTheFirstService() throws IOException {
        String page = Files.readString(root().resolve("docs/first-service.md"));
        List<String> inDocument = Pattern.compile(
                        "(?ms)^`src/(\\w+)/java/com/example/(\\w+).java`:\\R\\R```java\\R(.*?)^```$")
                .matcher(page)
                .results()
                .map(file -> file.group(1) + " " + file.group(2) + "\n" + file.group(3))
                .toList();
        List<String> compiled = new ArrayList<>();
        for (String file : List.of("main Orders", "main OrdersServer", "main OrdersClient", "test OrdersTest")) {
            String path = "samples/src/" + file.replace(" ", "/java/io/fairlead/samples/orders/") + ".java";
            compiled.add(file + "\n"
                    + Files.readString(root().resolve(path)).replace("io.fairlead.samples.orders", "com.example"));
        }
        assertEquals(compiled, inDocument, "copy the files of samples, in the package com.example");
        assertEquals(compiled.size(), JAVA_BLOCK.matcher(page).results().count());
    }

    @Test
    void shouldHoldTheContainerfile() throws IOException {
        String block = "```dockerfile\n" + Files.readString(root().resolve("config/Containerfile")) + "```\n";
        assertTrue(
                Files.readString(root().resolve("docs/first-service.md")).contains(block), "copy config/Containerfile");
    }

    private static List<String> regions(String file) throws IOException {
        return Pattern.compile("(?ms)^ *// @start region=\"\\w+\"\\R(.*?)^ *// @end$")
                .matcher(Files.readString(root().resolve(file)))
                .results()
                .map(region -> region.group(1).stripTrailing().stripIndent() + "\n")
                .toList();
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
