package io.fairlead.internal.files;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.names.ShownText;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Creates paths from configured names. Without a UTF-8 locale a JVM cannot represent most names outside ASCII. */
public final class FilePath {
    private static final String REMEDY = "start Java with LC_ALL=C.UTF-8, or use a name in ASCII";

    /** Refers to the working directory, whatever its name. */
    private static final Path WORKING_DIRECTORY = Path.of("/proc/self/cwd");

    private FilePath() {}

    /**
     * The path of a file or folder.
     *
     * @param name the configured name
     * @param what the kind of file, for failures
     * @param namedBy the key or variable that has the name, for failures
     * @return the path, whether there is such a file or not
     * @throws FairleadException {@code CONFIGURATION} if this JVM cannot represent the name as a path
     */
    public static Path of(String name, String what, String namedBy) {
        try {
            return Path.of(name);
        } catch (InvalidPathException impossible) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    what + " has a name that this JVM cannot use: file=" + ShownText.of(name) + ", " + encoding() + " ("
                            + namedBy + "); " + REMEDY,
                    impossible);
        }
    }

    /**
     * Whether a file is in a folder. A JVM whose locale cannot encode the name of its working directory finds no file
     * there. In that case the kernel is asked.
     *
     * @param folder the folder
     * @param name the file's name, in ASCII
     * @param what the kind of file, for failures
     * @return false only if there is certainly no such file; other failures are left to the reader of the file
     * @throws FairleadException {@code CONFIGURATION} if the file exists and this JVM cannot read it by its name
     */
    public static boolean isIn(Path folder, String name, String what) {
        if (!Files.notExists(folder.resolve(name))) {
            return true;
        }
        boolean lost = folder.toString().isEmpty() && Files.notExists(folder.toAbsolutePath());
        if (lost && !Files.notExists(WORKING_DIRECTORY.resolve(name))) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    what + " cannot be read, because this JVM cannot use the name of its working directory: file="
                            + name
                            + ", folder=" + ShownText.of(folder.toAbsolutePath().toString()) + ", " + encoding() + "; "
                            + REMEDY);
        }
        return false;
    }

    private static String encoding() {
        return "sun.jnu.encoding=" + System.getProperty("sun.jnu.encoding");
    }
}
