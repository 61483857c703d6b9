package io.fairlead.cli;

import io.fairlead.cli.cache.CacheCommand;
import io.fairlead.cli.check.RdmaCheckCommand;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandErrors;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.CommandLog;
import io.fairlead.cli.command.CommandOutput;
import io.fairlead.cli.command.FairleadVersion;
import io.fairlead.cli.command.JsonErrors;
import io.fairlead.cli.command.LogFormat;
import io.fairlead.cli.command.SubcommandProvider;
import io.fairlead.cli.demo.DemoCommand;
import io.fairlead.cli.demo.DemoPublisher;
import io.fairlead.cli.demo.DemoSubscriber;
import io.fairlead.cli.doctor.DoctorCommand;
import io.fairlead.cli.doctor.DoctorPeer;
import io.fairlead.cli.doctor.InfoCommand;
import io.fairlead.cli.keys.KeysCommand;
import io.fairlead.cli.perf.PerfCommand;
import io.fairlead.cli.pubsub.PubCommand;
import io.fairlead.cli.pubsub.SubCommand;
import io.fairlead.cli.roce.RoceCountCommand;
import io.fairlead.cli.roce.RoceHostileCommand;
import io.fairlead.cli.roce.RocePeerCommand;
import io.fairlead.cli.roce.RoceTestCommand;
import io.fairlead.cli.soak.SoakCommand;
import io.fairlead.cli.soak.SoakMemberCommand;
import io.fairlead.cli.top.TopCommand;
import io.fairlead.cli.train.TrainCommand;
import io.fairlead.cli.train.TrainWorkerCommand;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root of the {@code fairlead} command; other modules add to its subcommands by a {@link SubcommandProvider}. */
@Command(
        name = "fairlead",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = FairleadVersion.class,
        usageHelpAutoWidth = true,
        sortOptions = false,
        description = "Tagged messages, remote memory and publish-subscribe between Java processes.")
public final class FairleadCommand implements Callable<Integer> {
    /** Set by the launcher: find mistakes in the command line, before anything is installed for its sake, and do nothing. */
    private static final String PARSE_ONLY = "fairlead.parse-only";

    /** The subcommands in the order in which help lists them, and behind them the processes that they start. */
    static final List<String> SUBCOMMANDS = List.of(
            "demo",
            "pub",
            "sub",
            "cache",
            "train",
            "top",
            "doctor",
            "keys",
            "info",
            "perf",
            "soak",
            "rdma-check",
            "roce-test",
            "roce-count",
            "roce-hostile",
            "roce-peer",
            "demo-publisher",
            "demo-subscriber",
            "train-worker",
            "soak-member",
            "doctor-peer");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--stacktrace",
            scope = ScopeType.INHERIT,
            description = "Print the stack trace of a failure, not only its line.")
    private boolean stackTrace;

    /** Creates the root command, without subcommands. */
    public FairleadCommand() {}

    /**
     * Runs the command and exits with its status.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        JsonErrors.installFor(args);
        CommandLine command = commandLine(args);
        if (Boolean.getBoolean(PARSE_ONLY)) {
            command.setExecutionStrategy(parsed -> 0);
        }
        int status = command.execute(args);
        int output = CommandOutput.finish(command.getErr());
        System.exit(status == 0 ? output : status);
    }

    /**
     * Makes the command for a command line. If its first word names a subcommand, the command has no other one, because reading the annotations of
     * all takes longer than most subcommands. Otherwise it has all, those of other modules included.
     *
     * @param args the command line; empty for the whole command
     * @return ready to execute, once
     */
    static CommandLine commandLine(String... args) {
        FairleadCommand root = new FairleadCommand();
        CommandLine commandLine = new CommandLine(root);
        Optional<String> named =
                Stream.of(args).filter(arg -> !arg.startsWith("-")).findFirst().filter(SUBCOMMANDS::contains);
        if (named.isPresent()) {
            commandLine.addSubcommand(subcommand(named.get()));
        } else {
            SUBCOMMANDS.forEach(name -> commandLine.addSubcommand(subcommand(name)));
            for (SubcommandProvider provider : ServiceLoader.load(SubcommandProvider.class)) {
                provider.subcommands().forEach(commandLine::addSubcommand);
            }
        }
        // Attributes of the annotation would be every subcommand's.
        commandLine
                .getCommandSpec()
                .usageMessage()
                .footer("", "In a clone, ./fairlead also has: install, test, bench; each has --help.");
        CommandErrors errors = new CommandErrors(() -> root.stackTrace);
        return commandLine
                .registerConverter(Address.class, Address::parse)
                .setParameterExceptionHandler(errors)
                .setExecutionExceptionHandler(errors)
                .setCaseInsensitiveEnumValuesAllowed(true);
    }

    private static Object subcommand(String name) {
        return switch (name) {
            case "demo" -> new DemoCommand();
            case "pub" -> new PubCommand();
            case "sub" -> new SubCommand();
            case "cache" -> new CacheCommand();
            case "train" -> new TrainCommand();
            case "top" -> new TopCommand();
            case "doctor" -> new DoctorCommand();
            case "keys" -> new KeysCommand();
            case "info" -> new InfoCommand();
            case "perf" -> new PerfCommand();
            case "soak" -> new SoakCommand();
            case "soak-member" -> new SoakMemberCommand();
            case "rdma-check" -> new RdmaCheckCommand();
            case "roce-test" -> new RoceTestCommand();
            case "roce-count" -> new RoceCountCommand();
            case "roce-hostile" -> new RoceHostileCommand();
            case "roce-peer" -> new RocePeerCommand();
            case "demo-publisher" -> new DemoPublisher();
            case "demo-subscriber" -> new DemoSubscriber();
            case "train-worker" -> new TrainWorkerCommand();
            case "doctor-peer" -> new DoctorPeer();
            default -> throw new IllegalArgumentException("no such subcommand: name=" + name);
        };
    }

    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description = "Log to stderr what is done; twice for every detail.")
    void verbose(boolean[] given) {
        if (given.length > 1) {
            CommandLog.debug();
        } else {
            CommandLog.verbose();
        }
    }

    @Option(
            names = "--log-format",
            scope = ScopeType.INHERIT,
            paramLabel = "FORMAT",
            description = "How to write standard error: plain, or json for one JSON object per line (default: plain).")
    void logFormat(LogFormat format) {
        CommandLog.format(format);
    }

    /** Answers a command line without a subcommand with the usage and status 2, as for any other wrong use. */
    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return CommandFailure.USAGE;
    }
}
