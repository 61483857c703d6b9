package io.fairlead.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

@Timeout(60)
final class FairleadCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final CommandLine command = FairleadCommand.commandLine()
            .addSubcommand(new Failing())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));

    @Test
    void shouldTellVersionThatTheBuildWrote() {
        assertEquals(0, command.execute("--version"));
        assertTrue(out.toString().matches("(?s)fairlead \\d+\\.\\d+\\.\\d+.*java 2[5-9].*"), out::toString);
    }

    @Test
    void shouldAnswerMissingSubcommandWithUsageAndStatusTwo() {
        assertEquals(2, command.execute());
        assertTrue(err.toString().contains("Usage: fairlead"), err::toString);
    }

    @Test
    void shouldHaveTheNamedSubcommandAlone() {
        for (String name : FairleadCommand.SUBCOMMANDS) {
            assertEquals(
                    Set.of(name),
                    FairleadCommand.commandLine("-v", name, "pub")
                            .getSubcommands()
                            .keySet());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--help", "-v", "infoo", "help", "--log-format json info"})
    void shouldHaveAllSubcommandsUnlessTheFirstWordNamesOne(String commandLine) {
        List<String> all = List.copyOf(FairleadCommand.commandLine(commandLine.split(" ", -1))
                .getSubcommands()
                .keySet());
        assertEquals(FairleadCommand.SUBCOMMANDS, all.subList(0, FairleadCommand.SUBCOMMANDS.size()));
    }

    @Test
    void shouldFindEverySubcommandInTheDocument() throws IOException {
        String commands = Files.readString(RepositoryRoot.path().resolve("docs/commands.md"));
        List<String> unmentioned = FairleadCommand.commandLine().getSubcommands().values().stream()
                .filter(sub -> !sub.getCommandSpec().usageMessage().hidden())
                .map(CommandLine::getCommandName)
                .filter(name -> !commands.contains("`fairlead " + name))
                .toList();
        assertEquals(List.of(), unmentioned);
    }

    @Test
    void shouldNameTheNearestOptionOfAnUnknownOne() {
        assertEquals(2, command.execute("fail", "--lenght", "3"));
        assertEquals(
                "fairlead: Unknown options: '--lenght', '3'; did you mean --length? see fairlead fail --help",
                onlyLine());
    }

    @Test
    void shouldNameTheNearestSubcommandOfAnUnknownOne() {
        assertEquals(2, command.execute("fali"));
        assertEquals(
                "fairlead: Unmatched argument at index 0: 'fali'; did you mean fail? see fairlead --help", onlyLine());
    }

    @Test
    void shouldNotSuggestTheSubcommandOfAChildProcess() {
        assertEquals(2, command.execute("demo-publishe"));
        assertEquals(
                "fairlead: Unmatched argument at index 0: 'demo-publishe'; did you mean demo or pub or sub? see fairlead --help",
                onlyLine());
    }

    @Test
    void shouldSuggestNothingForASubcommandLikeNoOther() {
        assertEquals(2, command.execute("zzzzzz"));
        assertEquals("fairlead: Unmatched argument at index 0: 'zzzzzz'; see fairlead --help", onlyLine());
    }

    @Test
    void shouldSuggestNothingForAnOptionLikeNoOther() {
        assertEquals(2, command.execute("fail", "--zzzzzz"));
        assertEquals("fairlead: Unknown option: '--zzzzzz'; see fairlead fail --help", onlyLine());
    }

    @Test
    void shouldNotSuggestAnOptionForItsDashesAndFirstLetter() {
        for (String typed : List.of("--connect", "--connect=127.0.0.1:7000")) {
            assertEquals(2, command.execute("pub", "numbers", typed));
            assertEquals("fairlead: Unknown option: '" + typed + "'; see fairlead pub --help", onlyLine());
            err.getBuffer().setLength(0);
        }
        assertEquals(2, command.execute("pub", "numbers", "--confg=x"));
        assertEquals(
                "fairlead: Unknown option: '--confg=x'; did you mean --config? see fairlead pub --help", onlyLine());
    }

    @Test
    void shouldNameTheOptionWithoutAPairOnce() {
        assertEquals(2, command.execute("info", "--set", "no-pair"));
        assertEquals(
                "fairlead: Value for option '--set' (KEY=VALUE) should be in KEY=VALUE format but was no-pair;"
                        + " see fairlead info --help",
                onlyLine());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sub x --timeout",
                "sub x --wait",
                "top --timeout",
                "top --interval",
                "cache demo --seconds",
                "cache bench --seconds",
                "demo --seconds",
                "demo --linger",
                "rdma-check host --seconds",
                "perf --seconds"
            })
    void shouldJudgeTimesAlikeInAllCommands(String option) {
        for (String accepted : List.of("0.01", "86400")) {
            command.parseArgs(arguments(option, accepted));
        }
        for (String refused : List.of("-1", "0", "0.009", "86401", "NaN")) {
            String message = refusal(option, refused);
            assertTrue(message.contains("is out of range, allowed 0.01 to 86400 s"), message);
        }
        assertTrue(refusal(option, "soon").contains("'soon' is no number, allowed 0.01 to 86400 s"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"pub x --rate", "demo --rate"})
    void shouldJudgeRatesAlikeInAllCommands(String option) {
        for (String accepted : List.of("0", "0.5", "1e9")) {
            command.parseArgs(arguments(option, accepted));
        }
        for (String refused : List.of("-1", "1000000001", "NaN")) {
            String message = refusal(option, refused);
            assertTrue(message.contains(" per second is out of range, allowed 0 to 1000000000 per second"), message);
        }
    }

    private String refusal(String option, String value) {
        return String.valueOf(assertThrows(
                        ParameterException.class,
                        () -> command.parseArgs(arguments(option, value)),
                        option + " " + value)
                .getMessage());
    }

    private static String[] arguments(String option, String value) {
        return (option + "=" + value).split(" ", -1);
    }

    @Test
    void shouldEndWithStatusOneAndTheLineOfAFailure() {
        assertEquals(
                1, failWith(new FairleadException(FairleadException.Reason.TIMED_OUT, "too late:\n  now=1, then=2")));
        assertEquals("fairlead: too late: now=1, then=2", onlyLine());
    }

    @Test
    void shouldEndWithStatusTwoForAWrongConfiguration() {
        assertEquals(
                2, failWith(new FairleadException(FairleadException.Reason.CONFIGURATION, "unknown key: key=portt")));
        assertEquals("fairlead: unknown key: key=portt", onlyLine());
    }

    @Test
    void shouldSayWhatTheMessageOfAMissingFileLeavesOut() {
        assertEquals(1, failWith(new NoSuchFileException("rows.csv")));
        assertEquals("fairlead: no such file or folder: rows.csv; check the path and its permissions", onlyLine());
    }

    @Test
    void shouldCallAnUnexpectedExceptionWhatItIs() {
        assertEquals(1, failWith(new IllegalStateException("impossible")));
        assertTrue(onlyLine().startsWith("fairlead: internal error: java.lang.IllegalStateException: impossible;"));
    }

    @Test
    void shouldPrintStackTraceOnlyWhenAsked() {
        assertEquals(1, command.execute("fail", "--stacktrace"));
        assertTrue(err.toString().contains("\tat io.fairlead.cli"), err::toString);
    }

    private int failWith(Exception failure) {
        Failing subcommand = command.getSubcommands().get("fail").getCommand();
        subcommand.failure = failure;
        return command.execute("fail");
    }

    private String onlyLine() {
        List<String> lines = err.toString().lines().toList();
        assertEquals(1, lines.size(), err::toString);
        return lines.getFirst();
    }

    @Command(name = "fail")
    static final class Failing implements Callable<Integer> {
        @Option(names = "--length")
        int length;

        Exception failure = CommandFailure.failed("as asked");

        @Override
        public Integer call() throws Exception {
            throw failure;
        }
    }
}
