package io.fairlead.cli.command;

import io.fairlead.FairleadException;
import io.fairlead.internal.names.NearestName;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns whatever ends a command early into one line on stderr and an exit status. */
public final class CommandErrors implements IParameterExceptionHandler, IExecutionExceptionHandler {
    private final BooleanSupplier stackTraces;

    public CommandErrors(BooleanSupplier stackTraces) {
        this.stackTraces = stackTraces;
    }

    @Override
    public int handleParseException(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        print(command, failure, describe(failure) + "; " + suggestion(failure) + "see " + name(command) + " --help");
        return CommandFailure.USAGE;
    }

    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
        return switch (failure) {
            case CommandFailure known -> {
                print(command, known, String.valueOf(known.getMessage()));
                yield known.status();
            }
            case FairleadException known -> {
                print(command, known, String.valueOf(known.getMessage()));
                yield known.reason() == FairleadException.Reason.CONFIGURATION
                        ? CommandFailure.USAGE
                        : CommandFailure.FAILED;
            }
            case UncheckedIOException wrapper -> {
                print(command, wrapper, describe(Objects.requireNonNull(wrapper.getCause())));
                yield CommandFailure.FAILED;
            }
            case IOException known -> {
                print(command, known, describe(known));
                yield CommandFailure.FAILED;
            }
            default -> {
                print(
                        command,
                        failure,
                        "internal error: " + failure + "; please report it with what --stacktrace prints");
                yield CommandFailure.FAILED;
            }
        };
    }

    private static String describe(IOException failure) {
        return failure instanceof FileSystemException onFile && onFile.getFile() != null
                ? FileProblem.of(failure) + ": " + onFile.getFile() + "; check the path and its permissions"
                : "input or output failed: " + FileProblem.of(failure);
    }

    private void print(CommandLine command, Exception failure, String message) {
        String line = "fairlead: " + message.strip().replaceAll("\\s*\\R\\s*", " ");
        if (JsonErrors.isInstalled()) {
            JsonErrors.logger().error(line, stackTraces.getAsBoolean() ? failure : null);
            return;
        }
        PrintWriter err = command.getErr();
        err.println(line);
        if (stackTraces.getAsBoolean()) {
            failure.printStackTrace(err);
        }
        err.flush();
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName();
    }

    /**
     * The nearest option of an unknown one, or the nearest subcommands. Subcommands are picocli's choice, which compares
     * the pairs of letters that they share. It takes options for near whose first two characters are equal, and those
     * are dashes.
     */
    private static String suggestion(ParameterException failure) {
        if (!(failure instanceof UnmatchedArgumentException unmatched)) {
            return "";
        }
        List<String> near = unmatched.isUnknownOption()
                ? nearestOption(
                        failure.getCommandLine(), unmatched.getUnmatched().getFirst())
                : unmatched.getSuggestions();
        return near.isEmpty() ? "" : "did you mean " + String.join(" or ", near) + "? ";
    }

    private static List<String> nearestOption(CommandLine command, String typed) {
        List<String> names = command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> Stream.of(option.names()))
                .toList();
        // The value may be attached: --lenght=3.
        return NearestName.of(typed.replaceFirst("=.*", ""), names).stream().toList();
    }

    /** What is wrong. Picocli says "option" twice of an option whose value is not KEY=VALUE. */
    private static String describe(ParameterException failure) {
        return String.valueOf(failure.getMessage()).replace("Value for option option ", "Value for option ");
    }
}
