package io.fairlead.transport.ucx;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the kernel tells in files, below a folder that stands for the root; whatever cannot be read is absent. */
final class HostFiles {
    private final Path root;

    HostFiles(Path root) {
        this.root = root;
    }

    Path path(String absolute) {
        return root.resolve(absolute.substring(1));
    }

    boolean exists(String file) {
        return Files.exists(path(file));
    }

    boolean usable(String device) {
        Path file = path(device);
        return Files.isReadable(file) && Files.isWritable(file);
    }

    /** The text of a file without white space around it; empty text is as good as none. */
    Optional<String> text(String file) {
        try {
            // The kernel promises no encoding, and this one refuses no byte.
            String text = new String(Files.readAllBytes(path(file)), StandardCharsets.ISO_8859_1).strip();
            return text.isEmpty() ? Optional.empty() : Optional.of(text);
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /** What stands behind a word at the start of a line, in files that are tables of names and values. */
    Optional<String> field(String file, String name) {
        return text(file).stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .findFirst();
    }

    /** The names in a folder, in order; none if there is no such folder. */
    List<String> names(String folder) {
        try (Stream<Path> entries = Files.list(path(folder))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException unreadable) {
            return List.of();
        }
    }
}
