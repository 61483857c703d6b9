package io.fairlead.security.internal.files;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKey;
import io.fairlead.internal.files.FilePath;
import io.fairlead.spi.host.FileRights;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * A file named by a configuration key.
 *
 * @param key the key
 * @param path the path of the file
 */
public record NamedFile(ConfigKey<String> key, Path path) {
    /** None of these files is nearly as long. */
    private static final int LENGTH_MAX = 4 << 20;

    private static final int SHOWN_MAX = 400;
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    /**
     * The file of a key.
     *
     * @return empty if none is configured
     */
    static Optional<NamedFile> of(FairleadConfig config, ConfigKey<String> key) {
        String name = config.value(key).strip();
        return name.isEmpty()
                ? Optional.empty()
                : Optional.of(new NamedFile(
                        key, FilePath.of(name, "the file of " + key.name(), "named by " + config.origin(key))));
    }

    /**
     * Reads it. Anyone who can write one of these files decides about trust.
     *
     * @throws FairleadException {@code CONFIGURATION} if it is unreadable, or everybody on the host can write it
     */
    byte[] read() {
        if (FileRights.isWritableByAll(path)) {
            throw problem("can be written by all users of this host", "chmod o-w " + path);
        }
        try {
            demandRegular();
        } catch (IOException failure) {
            throw unreadable(failure);
        }
        try (InputStream in = Files.newInputStream(path)) {
            byte[] content = in.readNBytes(LENGTH_MAX + 1);
            if (content.length > LENGTH_MAX) {
                throw problem("is longer than " + LENGTH_MAX + " bytes", "name the right file");
            }
            return content;
        } catch (IOException failure) {
            throw unreadable(failure);
        }
    }

    /**
     * Reads it as text.
     *
     * @return in UTF-8, without a byte order mark
     * @throws FairleadException as {@link #read()}
     */
    String readText() {
        String text = new String(read(), StandardCharsets.UTF_8);
        return text.startsWith(BYTE_ORDER_MARK) ? text.substring(BYTE_ORDER_MARK.length()) : text;
    }

    /** Opening a pipe waits for a writer, possibly forever, and would delay the reading of revocations. */
    private void demandRegular() throws IOException {
        if (!Files.readAttributes(path, BasicFileAttributes.class).isRegularFile()) {
            throw problem(
                    "is no regular file but a folder, pipe or device",
                    "write what it has to a file, and name that: it is read again and again");
        }
    }

    private FairleadException unreadable(IOException failure) {
        return problem(
                "cannot be read, cause=" + cause(failure), "correct " + key.name() + " or the file's mode", failure);
    }

    /**
     * Refuses a secret file that everybody on the host can read.
     *
     * @throws FairleadException {@code CONFIGURATION}, with the remedy
     */
    void demandPrivate() {
        if (FileRights.isOpenToAll(path)) {
            throw problem("can be read or written by all users of this host", "chmod 600 " + path);
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

    /** A library's message about a file may contain parts of it, and a message is one line. */
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
