package io.fairlead.security.internal.files;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;

/**
 * A file that a key of the configuration names.
 *
 * @param key the key
 * @param path where the file is
 */
public record NamedFile(ConfigKey<String> key, Path path) {
    /** What none of these files comes near. */
    private static final int LENGTH_MAX = 4 << 20;

    private static final int SHOWN_MAX = 400;

    /**
     * The file of a key.
     *
     * @return empty where none is configured
     */
    static Optional<NamedFile> of(FairleadConfig config, ConfigKey<String> key) {
        String name = config.value(key).strip();
        return name.isEmpty() ? Optional.empty() : Optional.of(new NamedFile(key, Path.of(name)));
    }

    /**
     * Reads it.
     *
     * @throws FairleadException {@code CONFIGURATION} if it cannot be read
     */
    byte[] read() {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] content = in.readNBytes(LENGTH_MAX + 1);
            if (content.length > LENGTH_MAX) {
                throw problem("is longer than " + LENGTH_MAX + " bytes", "name the right file");
            }
            return content;
        } catch (IOException failure) {
            throw problem(
                    "cannot be read, cause=" + cause(failure),
                    "correct " + key.name() + " or the file's mode",
                    failure);
        }
    }

    /**
     * Refuses a file with a secret in it that everybody on the host can read.
     *
     * @throws FairleadException {@code CONFIGURATION}, with the remedy
     */
    void demandPrivate() {
        if (isOpenToOthers()) {
            throw problem("can be read or written by all users of this host", "chmod 600 " + path);
        }
    }

    /** Whether users beside the owner and the group can read or write it; false where files have no such rights. */
    boolean isOpenToOthers() {
        try {
            Set<PosixFilePermission> rights = Files.getPosixFilePermissions(path);
            return rights.contains(PosixFilePermission.OTHERS_READ)
                    || rights.contains(PosixFilePermission.OTHERS_WRITE);
        } catch (IOException | UnsupportedOperationException unknown) {
            // Reading it tells what is wrong with it.
            return false;
        }
    }

    /** A refusal that names the key and the file. */
    FairleadException problem(String what, String remedy) {
        return new FairleadException(FairleadException.Reason.CONFIGURATION, text(what, remedy));
    }

    /** A refusal that names the key and the file. */
    FairleadException problem(String what, String remedy, Throwable cause) {
        return new FairleadException(FairleadException.Reason.CONFIGURATION, text(what, remedy), cause);
    }

    private String text(String what, String remedy) {
        return key.name() + "=" + path + " " + shown(what) + "; " + remedy;
    }

    /** What a library says of a file may hold parts of it, and a message is one line. */
    private static String shown(String text) {
        StringBuilder shown = new StringBuilder(text);
        for (int i = 0; i < shown.length(); i++) {
            if (Character.isISOControl(shown.charAt(i))) {
                shown.setCharAt(i, ' ');
            }
        }
        return shown.length() > SHOWN_MAX ? shown.substring(0, SHOWN_MAX) + "..." : shown.toString();
    }

    private static String cause(IOException failure) {
        return switch (failure) {
            case NoSuchFileException _ -> "no such file";
            case AccessDeniedException _ -> "access denied";
            case FileSystemException other when other.getReason() != null -> other.getReason();
            default -> String.valueOf(failure.getMessage());
        };
    }
}
