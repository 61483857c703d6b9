package io.fairlead.spi.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the kernel tells in files, below a folder that stands for the root; whatever cannot be read is absent. Immutable. */
public final class HostFiles {
    private final Path root;

    /**
     * The files of a host.
     *
     * @param root {@code /}, or where a test keeps what it made up
     */
    public HostFiles(Path root) {
        this.root = root;
    }

    /**
     * Where a file is.
     *
     * @param absolute its name on the host, with a slash in front
     * @return below the root
     */
    public Path path(String absolute) {
        return root.resolve(absolute.substring(1));
    }

    /**
     * Whether there is such a file.
     *
     * @param file its name on the host
     * @return false too if it cannot be looked for
     */
    public boolean exists(String file) {
        return Files.exists(path(file));
    }

    /**
     * Whether this process may read and write a file.
     *
     * @param device its name on the host
     * @return false too if there is none
     */
    public boolean usable(String device) {
        Path file = path(device);
        return Files.isReadable(file) && Files.isWritable(file);
    }

    /**
     * The text of a file, without white space around it.
     *
     * @param file its name on the host
     * @return absent if it cannot be read or is blank
     */
    public Optional<String> text(String file) {
        try {
            // The kernel promises no encoding, and this one refuses no byte.
            String text = new String(Files.readAllBytes(path(file)), StandardCharsets.ISO_8859_1).strip();
            return text.isEmpty() ? Optional.empty() : Optional.of(text);
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /**
     * What stands behind a word at the start of a line, in files that are tables of names and values.
     *
     * @param file its name on the host
     * @param name the word
     * @return the first such line's rest, without white space around it
     */
    public Optional<String> field(String file, String name) {
        return text(file).stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .findFirst();
    }

    /**
     * The names in a folder.
     *
     * @param folder its name on the host
     * @return in order; none if there is no such folder
     */
    public List<String> names(String folder) {
        try (Stream<Path> entries = Files.list(path(folder))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException unreadable) {
            return List.of();
        }
    }
}
