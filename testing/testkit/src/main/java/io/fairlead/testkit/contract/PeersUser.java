package io.fairlead.testkit.contract;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Files for peers that run as another user, whose id the system property {@value #ID} has where a run wants that: copies, because a user may not read what
 * is in another's home. They are deleted when this process ends.
 */
final class PeersUser {
    private static final String ID = "fairlead.contract.peers-user";
    private static final int USER = Integer.getInteger(ID, -1);

    private static final class Copies {
        static final Path FOLDER = newFolder();
        static final String CLASS_PATH = copiedClassPath();

        private Copies() {}
    }

    private PeersUser() {}

    /** The class path for peers. */
    static String classPath() {
        return USER < 0 ? System.getProperty("java.class.path") : Copies.CLASS_PATH;
    }

    /** A file that only its owner may read, as one of the peers' user. */
    static Path own(Path file) {
        if (USER < 0) {
            return file;
        }
        try {
            Path copy = Copies.FOLDER.resolve(file.getFileName());
            if (Files.notExists(copy)) {
                Files.copy(file, copy);
                Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-------"));
                Files.setAttribute(copy, "unix:uid", USER);
            }
            return copy;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Path newFolder() {
        try {
            Path folder = Files.createTempDirectory("fairlead-peers");
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
            return folder;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String copiedClassPath() {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (Files.exists(Path.of(entry))) {
                Path copy = Copies.FOLDER.resolve("" + entries.size());
                copyAll(Path.of(entry), copy);
                entries.add(copy.toString());
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private static void copyAll(Path source, Path target) {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.toList()) {
                Path copy = file.equals(source)
                        ? target
                        : target.resolve(source.relativize(file).toString());
                Files.copy(file, copy);
                Files.setPosixFilePermissions(
                        copy, PosixFilePermissions.fromString(Files.isDirectory(copy) ? "rwxr-xr-x" : "rw-r--r--"));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException stays) {
            throw new UncheckedIOException(stays);
        }
    }
}
