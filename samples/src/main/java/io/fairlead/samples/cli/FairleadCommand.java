package io.fairlead.samples.cli;

import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root of the {@code fairlead} command. */
@Command(
        name = "fairlead",
        mixinStandardHelpOptions = true,
        versionProvider = FairleadVersion.class,
        description = "Tagged messages, remote memory and publish-subscribe between Java processes.")
public final class FairleadCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Creates the root command, without the subcommands of other modules. */
    public FairleadCommand() {}

    /**
     * Runs the command and exits with its status.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        CommandLine root = new CommandLine(new FairleadCommand());
        for (SubcommandProvider provider : ServiceLoader.load(SubcommandProvider.class)) {
            provider.subcommands().forEach(root::addSubcommand);
        }
        System.exit(root.execute(args));
    }

    /** Answers a command line without a subcommand with the usage and status 2, as for any other wrong use. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a subcommand is required");
    }
}
