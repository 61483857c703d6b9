package io.fairlead.cli.command;

import io.fairlead.FairleadException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.Objects;
import java.util.function.BooleanSupplier;
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
        print(command, failure, failure.getMessage() + "; " + suggestion(failure) + "see " + name(command) + " --help");
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
        PrintWriter err = command.getErr();
        err.println("fairlead: " + message.strip().replaceAll("\\s*\\R\\s*", " "));
        if (stackTraces.getAsBoolean()) {
            failure.printStackTrace(err);
        }
        err.flush();
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName();
    }

    /** What picocli takes for near: options by their first two letters, commands by the pairs of letters that they share, best first. */
    private static String suggestion(ParameterException failure) {
        return failure instanceof UnmatchedArgumentException unmatched
                        && !unmatched.getSuggestions().isEmpty()
                ? "did you mean " + String.join(" or ", unmatched.getSuggestions()) + "? "
                : "";
    }
}
