package io.fairlead.cli.keys;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.FileProblem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/** Writes files of keys: over one that is there only where that is asked for, and what is secret for its owner alone from its first byte on. */
final class KeyFiles {
    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private KeyFiles() {}

    /** Makes a folder for its owner alone; one that is there stays as it is. */
    static void makeFolder(Path folder) {
        try {
            Files.createDirectories(folder, mode("rwx------"));
        } catch (IOException failure) {
            throw CommandFailure.failed("a folder cannot be made: folder=" + folder + ", cause="
                    + FileProblem.of(failure) + "; choose another by --directory");
        }
    }

    /**
     * Writes a secret file and one for all to read, or none of the two.
     *
     * @param secret the file for its owner alone
     * @param secretText what it holds
     * @param open the other file
     * @param openText what it holds
     */
    static void writePair(Path secret, String secretText, Path open, String openText) {
        for (Path file : Set.of(secret, open)) {
            if (Files.exists(file)) {
                throw exists(file);
            }
        }
        writeSecret(secret, secretText);
        try {
            write(open, openText);
        } catch (CommandFailure failure) {
            try {
                Files.delete(secret);
            } catch (IOException kept) {
                failure.addSuppressed(kept);
            }
            throw failure;
        }
    }

    /** Writes a file for its owner alone. */
    static void writeSecret(Path file, String text) {
        write(file, text, "rw-------");
    }

    /** Writes a file for all to read. */
    static void write(Path file, String text) {
        write(file, text, "rw-r--r--");
    }

    /** Replaces an existing file atomically; only the owner may read the new one. */
    static void replaceSecret(Path file, String text) {
        replace(file, text, "rw-------");
    }

    /** Replaces an existing file atomically; everybody may read the new one. */
    static void replace(Path file, String text) {
        replace(file, text, "rw-r--r--");
    }

    private static void replace(Path file, String text, String mode) {
        Path written = file.resolveSibling(file.getFileName() + ".new");
        try {
            // What an earlier call was kept from finishing.
            Files.deleteIfExists(written);
            write(written, text, mode);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failure) {
            throw CommandFailure.failed("a file cannot be replaced: file=" + file + ", cause=" + FileProblem.of(failure)
                    + "; check the folder and its permissions");
        }
    }

    private static void write(Path file, String text, String mode) {
        try (SeekableByteChannel out = Files.newByteChannel(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode(mode))) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
        } catch (FileAlreadyExistsException taken) {
            throw exists(file);
        } catch (IOException failure) {
            throw CommandFailure.failed("a file cannot be written: file=" + file + ", cause=" + FileProblem.of(failure)
                    + "; check the folder and its permissions");
        }
    }

    private static CommandFailure exists(Path file) {
        return CommandFailure.failed("a file is there already, and is not overwritten: file=" + file
                + "; remove it, choose another name, or renew a node's files by keys node --renew");
    }

    /** Reads a file that an earlier call has made. */
    static String read(Path file, String remedy) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw CommandFailure.failed(
                    "a file cannot be read: file=" + file + ", cause=" + FileProblem.of(failure) + "; " + remedy);
        }
    }

    private static FileAttribute<?>[] mode(String mode) {
        return POSIX
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))}
                : new FileAttribute<?>[0];
    }

    /** What goes into a configuration file, in HOCON. */
    static String settings(Map<String, Path> files) {
        StringBuilder text = new StringBuilder();
        files.forEach((key, file) -> text.append(key)
                .append(" = \"")
                .append(file.toAbsolutePath()
                        .normalize()
                        .toString()
                        .replace("\\", "\\\\")
                        .replace("\"", "\\\""))
                .append("\"\n"));
        return text.toString();
    }
}
