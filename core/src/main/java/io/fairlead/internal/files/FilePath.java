package io.fairlead.internal.files;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.names.ShownText;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Makes paths of configured names. Without a locale of UTF-8 a JVM has no path for most of the names that are not ASCII. */
public final class FilePath {
    private static final String REMEDY = "start Java with LC_ALL=C.UTF-8, or use a name in ASCII";

    /** Leads to the working directory, whatever its name. */
    private static final Path WORKING_DIRECTORY = Path.of("/proc/self/cwd");

    private FilePath() {}

    /**
     * The path of a file or folder.
     *
     * @param name as it is configured
     * @param what what the file is, for failures
     * @param namedBy the key or variable that has the name, for failures
     * @return the path, whether there is such a file or not
     * @throws FairleadException {@code CONFIGURATION} if no path of this JVM has that name
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
     * Whether a file is in a folder. A JVM whose locale cannot encode the name of its working directory does not find what is in there, so that the
     * answer would be no. Then the kernel is asked.
     *
     * @param folder the folder
     * @param name the file's name, in ASCII
     * @param what what the file is, for failures
     * @return false only if there is surely no such file; what cannot be found out is left to whoever reads it
     * @throws FairleadException {@code CONFIGURATION} if the file is there and this JVM cannot read it by its name
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
