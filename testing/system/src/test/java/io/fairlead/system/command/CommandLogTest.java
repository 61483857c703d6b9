package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What commands log, each command a process of its own whose lines are parsed. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CommandLogTest {
    private static final int MESSAGES = 50_000;
    /** The logger of what a command itself says. */
    private static final String WORDS = "fairlead";

    private static final String LINES =
            IntStream.range(0, MESSAGES).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining());

    @TempDir
    private Path folder;

    @Test
    void shouldLogALinePerStateOfAConnectionAndNonePerMessage() throws Exception {
        Path file = Files.writeString(folder.resolve("lines"), LINES);
        try (CommandRun pub = CommandRun.start(
                        "pub", "rows", "-l", "0", "-w", "1", "-f", file.toString(), "--log-format=json", "-vv");
                CommandRun sub = CommandRun.start(
                        "sub", "rows", "-v", "--log-format", "json", "-C", pub.awaitError("topic rows at (\\S+),"))) {
            sub.assertStatus(0);
            pub.assertStatus(0);
            assertEquals(LINES, sub.text(), "the log leaves stdout alone");

            for (CommandRun run : List.of(pub, sub)) {
                // A subscriber that hears of the connection's end before the topic's has begun to connect again.
                List<String> states = states(endpointLog(run).stream()
                        .filter(line -> line.mdc("endpoint").startsWith("#1"))
                        .toList());
                // Both may begin to close, or one may hear of the other's goodbye first.
                assertTrue(states.stream().filter("closing"::equals).count() <= 1, states::toString);
                assertEquals(
                        List.of("selected", "connected", "closed"),
                        states.stream()
                                .filter(state -> !state.equals("closing"))
                                .toList());
            }
            assertTrue(states(pub).contains("closing") || states(sub).contains("closing"), "somebody closed");
            assertTrue(log(pub).size() < 20, () -> MESSAGES + " messages left " + log(pub));
        }
    }

    @Test
    void shouldPutNodeEndpointTransportAndReasonIntoEachLine() throws Exception {
        try (CommandRun pub = CommandRun.start(
                        "pub", "typed", "-l", "0", "-w", "1", "--log-format=json", "-v", "-s", "node.name=writer");
                CommandRun sub = CommandRun.start(
                        "sub",
                        "typed",
                        "-v",
                        "--log-format=json",
                        "-s",
                        "node.name=reader",
                        "--policy=tcp-only",
                        "-C",
                        pub.awaitError("topic typed at (\\S+),"))) {
            pub.input().write("one\n".getBytes(StandardCharsets.UTF_8));
            pub.input().close();
            sub.assertStatus(0);
            pub.assertStatus(0);

            for (LogLine line : endpointLog(sub)) {
                assertEquals("reader", line.mdc("node"), line::toString);
                assertEquals("#1 to writer", line.mdc("endpoint"), line::toString);
                assertEquals("tcp", line.mdc("transport"), line::toString);
            }
            LogLine selected = endpointLog(sub).getFirst();
            assertTrue(
                    selected.message().contains(": policy tcp-only of the connector"),
                    "the reason is in the log: " + selected);
            assertEquals(
                    Set.of("writer"),
                    endpointLog(pub).stream().map(line -> line.mdc("node")).collect(Collectors.toSet()));
        }
    }

    @Test
    void shouldLogPlainTextUnlessAskedOtherwise() throws Exception {
        try (CommandRun sub =
                CommandRun.start("sub", "typed", "-v", "--timeout", "1", "-C", "127.0.0.1:1", "--policy=tcp-only")) {
            String line = sub.awaitError("WARN.*failed .*");
            assertTrue(line.contains("cannot connect: peer=127.0.0.1:1"), line);
        }
    }

    @Test
    void shouldLogNothingWhereNobodyAsked() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "typed", "-l", "0", "--log-format=json");
                CommandRun sub = CommandRun.start("sub", "typed", "-C", pub.awaitError("topic typed at (\\S+),"))) {
            pub.input().close();
            sub.assertStatus(0);
            pub.assertStatus(0);
            assertEquals(
                    List.of(),
                    log(pub).stream()
                            .filter(line -> !line.logger().equals(WORDS))
                            .toList());
            assertEquals(List.of(), sub.errors());
        }
    }

    /** What is said, what is wrong with a command line, a failure with its stack trace, and the words of child processes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0 INFO pub x -l 0 -w 0 -f /dev/null --metrics-port 0 --log-format=json",
                "2 ERROR pub x --rate=-1 --log-format=json",
                "2 ERROR pub x --bogus --log-format json",
                "2 INFO --log-format=JSON",
                "1 ERROR sub x -C 127.0.0.1:1 --stacktrace --log-format=json",
                "0 INFO demo --seconds 1 --json --metrics-port 0 -v --log-format=json"
            })
    void shouldLeaveNoPlainLineOnStandardError(String commandLine) throws Exception {
        String[] words = commandLine.split(" ", -1);
        try (CommandRun run = CommandRun.start(Arrays.copyOfRange(words, 2, words.length))) {
            run.assertStatus(Integer.parseInt(words[0]));
            List<LogLine> lines = run.errors().stream().map(LogLine::parse).toList();
            assertTrue(
                    lines.stream()
                            .anyMatch(line ->
                                    line.logger().equals(WORDS) && line.level().equals(words[1])),
                    lines::toString);
        }
    }

    @Test
    void shouldRefuseAFormatThatIsNone() throws Exception {
        try (CommandRun pub = CommandRun.start("pub", "typed", "-l", "0", "--log-format=xml")) {
            pub.assertStatus(2);
            assertEquals(1, pub.errors().size(), pub.errors()::toString);
            assertTrue(pub.errors().getFirst().contains("'--log-format'"), pub.errors()::toString);
            assertTrue(pub.errors().getFirst().contains("xml"), pub.errors()::toString);
        }
    }

    @Test
    void shouldLetProcessesOfTheDemoLogInTheSameWayBesideACleanDocument() throws Exception {
        try (CommandRun demo = CommandRun.start("demo", "--seconds", "2", "--json", "-v", "--log-format=json")) {
            demo.assertStatus(0);
            assertTrue(demo.text().startsWith("{"), () -> demo.errors().toString());
            Map<String, Integer> nodes = new TreeMap<>();
            endpointLog(demo).forEach(line -> nodes.merge(line.mdc("node"), 1, Integer::sum));
            assertEquals(4, nodes.size(), () -> "one publisher and three subscribers: " + nodes);
        }
    }

    /** The first words of the lines about endpoints, in order. */
    private static List<String> states(CommandRun run) {
        return states(endpointLog(run));
    }

    private static List<String> states(List<LogLine> lines) {
        return lines.stream()
                .map(line -> line.message().substring(0, line.message().indexOf(' ')))
                .toList();
    }

    /** The lines about endpoints; there are others, such as those about subscriptions. */
    private static List<LogLine> endpointLog(CommandRun run) {
        return log(run).stream()
                .filter(line -> line.logger().equals("io.fairlead.Endpoint"))
                .toList();
    }

    /** Every line that is meant for a machine; the command's own words are no log. */
    private static List<LogLine> log(CommandRun run) {
        return run.errors().stream()
                .filter(line -> line.startsWith("{"))
                .map(LogLine::parse)
                .toList();
    }
}
