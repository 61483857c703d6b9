package io.fairlead.testkit.internal;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the repository is that a test runs in, whether Maven runs it in its module or another runner elsewhere. */
public final class RepositoryRoot {
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
}
