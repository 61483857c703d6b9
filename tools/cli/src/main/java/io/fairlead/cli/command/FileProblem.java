package io.fairlead.cli.command;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Says what went wrong with a file: the exceptions of java.nio.file carry little more than its path. */
public final class FileProblem {
    private FileProblem() {}

    /**
     * Describes a failure.
     *
     * @param failure what reading or writing threw
     * @return the cause, without the file's name where that is known
     */
    public static String of(IOException failure) {
        return switch (failure) {
            case NoSuchFileException _ -> "no such file or folder";
            case AccessDeniedException _ -> "access denied";
            case FileSystemException other when other.getReason() != null -> other.getReason();
            default -> String.valueOf(failure.getMessage());
        };
    }
}
