package io.fairlead.spi.host;

import io.fairlead.spi.Diagnosis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;

/**
 * Who beside its owner can write or read a file that decides about trust. On file systems without such rights, nobody
 * can. Thread-safe.
 */
public final class FileRights {
    /** In a folder with this mode bit, only their owners can rename and delete files. */
    private static final int STICKY = 0x200;

    private FileRights() {}

    /**
     * Whether all users of the host can write a file.
     *
     * @param path the file's path
     * @return true if they can; false also if that is unknown
     */
    public static boolean isWritableByAll(Path path) {
        return of(path).contains(PosixFilePermission.OTHERS_WRITE);
    }

    /**
     * Whether all users of the host can read or write a file.
     *
     * @param path the file's path
     * @return true if they can; false also if that is unknown
     */
    public static boolean isOpenToAll(Path path) {
        return of(path).contains(PosixFilePermission.OTHERS_READ) || isWritableByAll(path);
    }

    /**
     * Reports who can change a file. A process refuses files that all users can write. It accepts files that a group
     * can write, which may be intended; this reports both.
     *
     * @param name the name of the finding
     * @param what the purpose of the file, and the effect of a change: {@code the rules and let anybody in}
     * @param file the file's path
     * @return a failure with its remedy; empty if nobody but the owner can change the file
     */
    public static Optional<Diagnosis> diagnose(String name, String what, Path file) {
        if (of(file).contains(PosixFilePermission.OTHERS_WRITE)) {
            return failure(name, "all users of this host can write ", what, "file", file, "chmod o-w ");
        }
        if (of(file).contains(PosixFilePermission.GROUP_WRITE)) {
            return failure(name, "the group of the file can write ", what, "file", file, "chmod g-w ");
        }
        Path folder = file.toAbsolutePath().getParent();
        return folder != null && isWritableByAll(folder) && !isSticky(folder)
                ? failure(name, "all users of this host can replace ", what, "folder", folder, "chmod o-w ")
                : Optional.empty();
    }

    private static Optional<Diagnosis> failure(
            String name, String who, String what, String kind, Path path, String remedy) {
        return Optional.of(Diagnosis.failure(name, who + what + ": " + kind + "=" + path, remedy + path));
    }

    private static Set<PosixFilePermission> of(Path path) {
        try {
            return Files.getPosixFilePermissions(path);
        } catch (IOException | UnsupportedOperationException unknown) {
            // Reading the file reports the fault.
            return Set.of();
        }
    }

    private static boolean isSticky(Path folder) {
        try {
            return Files.getAttribute(folder, "unix:mode") instanceof Integer mode && (mode & STICKY) != 0;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException none) {
            return false;
        }
    }
}
