package io.fairlead.testkit.internal;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Copies of files for processes of other users, who may have no access to a clone or a home folder. They are in a temporary folder, which is deleted when
 * this process ends.
 */
public final class ReadableCopies {
    private static final Path FOLDER = newFolder();

    private static final class ClassPath {
        static final String COPY = copyClassPath();

        private ClassPath() {}
    }

    private ReadableCopies() {}

    /**
     * The folder of the copies, which every user may enter.
     *
     * @return an absolute path
     */
    public static Path folder() {
        return FOLDER;
    }

    /**
     * The class path of this process, as copies.
     *
     * @return its entries, with separators
     */
    public static String classPath() {
        return ClassPath.COPY;
    }

    /**
     * A copy that only one user may read.
     *
     * @param file the file
     * @param user the user's id
     * @return the copy, made by the first call
     */
    public static Path ownedBy(int user, Path file) {
        Path copy = FOLDER.resolve(file.getFileName() + "-" + user);
        try {
            if (Files.notExists(copy)) {
                Files.copy(file, copy);
                copy.toFile().deleteOnExit();
                Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-------"));
                Files.setAttribute(copy, "unix:uid", user);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return copy;
    }

    private static Path newFolder() {
        try {
            return readable(Files.createTempDirectory("fairlead-copies"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String copyClassPath() {
        List<String> copies = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path source = Path.of(entry);
            Path target = FOLDER.resolve(Integer.toString(copies.size()));
            // Maven also names folders of classes that a module without tests has not.
            if (Files.exists(source)) {
                copyAll(source, target);
                copies.add(target.toString());
            }
        }
        return String.join(File.pathSeparator, copies);
    }

    private static void copyAll(Path source, Path target) {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.toList()) {
                readable(Files.copy(file, file.equals(source) ? target : target.resolve(source.relativize(file))));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Path readable(Path file) throws IOException {
        file.toFile().deleteOnExit();
        String permissions = Files.isDirectory(file) ? "rwxr-xr-x" : "rw-r--r--";
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }
}
