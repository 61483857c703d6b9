package io.fairlead.testkit.internal;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Where the repository is that a test runs in, whether Maven runs it in its module or another runner elsewhere. */
public final class RepositoryRoot {
    /** What builds, tests and editors write. */
    private static final Set<String> FOLDERS_OF_OTHERS = Set.of(".git", "target", ".idea", ".vscode", "out");

    private RepositoryRoot() {}

    /** The absolute path of the folder of the launcher. */
    public static Path path() {
        Path here = Path.of("").toAbsolutePath();
        for (Path folder = here; folder != null; folder = folder.getParent()) {
            if (Files.exists(folder.resolve(".ci/run"))) {
                return folder;
            }
        }
        throw new AssertionError("not in a clone of the repository: folder=" + here + "; run tests inside of one");
    }

    /**
     * The files of the repository whose paths have an ending, in order. Leaves out the folders of builds and editors, and
     * files that are deleted meanwhile: a JVM whose stack is dumped has one in its working directory for a moment.
     */
    public static List<Path> files(String ending) throws IOException {
        Path root = path();
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return FOLDERS_OF_OTHERS.contains(folder.getFileName().toString()) && !folder.equals(root)
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(ending)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
        found.sort(null);
        return found;
    }
}
