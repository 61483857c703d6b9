package io.fairlead.cli.perf;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.cli.process.ParentLines;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The leading side of one contestant of {@code fairlead perf --compare}, in a process of its own: does what a {@link LeaderProcess} tells it by lines
 * on its standard input, and ends with them.
 *
 * <p>It begins with {@code ready PATH}. {@code open TEST SIZE WINDOW} is answered by {@code open true}, or {@code open false} for a test that the
 * contestant has not; {@code time BATCH} by {@code time}; {@code round COUNT} by {@code round} and the figures of the round; {@code percentiles} by
 * {@code percentiles} and theirs; {@code end} by {@code end}; anything that fails by {@code error} and the cause. Every answer begins with
 * {@link #MARK}. Between two lines the process sleeps.
 */
@Command(name = PerfLeaderCommand.NAME, hidden = true, description = "A process of fairlead perf --compare.")
final class PerfLeaderCommand implements Callable<Integer> {
    static final String NAME = "leader";

    /** What its answers start with, since libraries may write to standard output too. */
    static final String MARK = "perf leader: ";

    static final String READY = "ready";
    static final String ERROR = "error";

    private static final String RIVAL = "--rival";
    private static final String LANES = "--lanes";

    @Option(names = "--connect", required = true)
    private Optional<Address> connect = Optional.empty();

    @Option(names = "--transport")
    private Optional<String> transport = Optional.empty();

    @Option(names = RIVAL, description = "Whom to lead instead of Fairlead.")
    private Optional<String> rival = Optional.empty();

    @Option(names = LANES, description = "The UCX transports of the rival.")
    private String lanes = "";

    @Mixin
    private ConfigOptions options = new ConfigOptions();

    /** The arguments by which it leads a rival instead of Fairlead. */
    static List<String> rival(String name, String lanes) {
        return List.of(RIVAL + "=" + name, LANES + "=" + lanes);
    }

    @Override
    public Integer call() throws InterruptedException {
        ParentLines lines = ParentLines.open();
        try {
            FairleadConfig config = PerfServer.patient(PerfCommand.config(options, transport));
            try (Context context = Context.open(config);
                    MetricsPort _ = MetricsPort.open(context);
                    PerfConnection connection = new PerfConnection(context, config, connect.orElseThrow());
                    Rivals rivals = new Rivals()) {
                lead(lines, leader(connection, rivals), connection);
            }
        } catch (CommandFailure | FairleadException failed) {
            // For whoever directs this process to tell, in the one line of the whole command.
            say(ERROR + " " + failed.getMessage());
            return CommandFailure.FAILED;
        }
        return 0;
    }

    private Leader leader(PerfConnection connection, Rivals rivals) {
        if (rival.isEmpty()) {
            return LocalLeader.fairlead(connection);
        }
        Rival named = rivals.named(rival.get(), lanes)
                .orElseThrow(() -> CommandFailure.usage(
                        "no such rival: rival=" + rival.get() + ", one of " + String.join(", ", rivals.names())));
        return LocalLeader.rival(connection, rival.get(), lanes, named);
    }

    private static void lead(ParentLines lines, Leader leader, PerfConnection connection) throws InterruptedException {
        say(READY + " " + connection.path());
        Optional<String> line = lines.next();
        while (line.isPresent()) {
            say(answer(leader, line.get().split(" ", -1)));
            line = lines.next();
        }
    }

    private static String answer(Leader leader, String[] words) {
        try {
            return switch (words[0]) {
                case "open" ->
                    "open "
                            + leader.open(new PerfCase(
                                    PerfTest.named(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3])));
                case "time" -> {
                    leader.time(Integer.parseInt(words[1]));
                    yield "time";
                }
                case "round" ->
                    "round " + leader.round(Long.parseLong(words[1])).format();
                case "percentiles" -> "percentiles " + leader.percentiles().format();
                case "end" -> {
                    leader.end();
                    yield "end";
                }
                default -> ERROR + " unknown request: " + words[0];
            };
        } catch (CommandFailure | FairleadException failed) {
            return ERROR + " " + failed.getMessage();
        } catch (RuntimeException failed) {
            return ERROR + " " + failed;
        }
    }

    private static void say(String line) {
        System.out.println(MARK + line.replaceAll("\\s*\\R\\s*", " "));
    }
}
