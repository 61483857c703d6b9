package io.fairlead.spi.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads the kernel's files, for example below {@code /proc} and {@code /sys}. An unreadable file counts as absent;
 * nothing throws. Immutable and thread-safe.
 */
public final class HostFiles {
    private final Path root;

    /**
     * Creates a reader of the files below a folder.
     *
     * @param root {@code /}, or a test's folder instead
     */
    public HostFiles(Path root) {
        this.root = root;
    }

    /**
     * The path of a file below the root.
     *
     * @param absolute the file's absolute name on the host, with a slash in front
     * @return the path
     */
    public Path path(String absolute) {
        return root.resolve(absolute.substring(1));
    }

    /**
     * Whether a file exists.
     *
     * @param file the file's absolute name on the host
     * @return true if it exists; false also if that is unknown
     */
    public boolean exists(String file) {
        return Files.exists(path(file));
    }

    /**
     * Whether this process may read and write a file.
     *
     * @param device the file's absolute name on the host
     * @return true if it may; false also if there is no such file
     */
    public boolean usable(String device) {
        Path file = path(device);
        return Files.isReadable(file) && Files.isWritable(file);
    }

    /**
     * The text of a file, without white space around it.
     *
     * @param file the file's absolute name on the host
     * @return the text; empty if the file cannot be read or is blank
     */
    public Optional<String> text(String file) {
        try {
            // The kernel promises no encoding; ISO 8859-1 accepts every byte.
            String text = new String(Files.readAllBytes(path(file)), StandardCharsets.ISO_8859_1).strip();
            return text.isEmpty() ? Optional.empty() : Optional.of(text);
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /**
     * The value of a name, in a file whose lines are a name and a value each.
     *
     * @param file the file's absolute name on the host
     * @param name the beginning of the line
     * @return the rest of the first line that begins with it, without white space around it; empty if there is none
     */
    public Optional<String> field(String file, String name) {
        return text(file).stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .findFirst();
    }

    /**
     * The names of the files and folders in a folder.
     *
     * @param folder the folder's absolute name on the host
     * @return the names, sorted; none if there is no such folder
     */
    public List<String> names(String folder) {
        try (Stream<Path> entries = Files.list(path(folder))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException unreadable) {
            return List.of();
        }
    }
}
