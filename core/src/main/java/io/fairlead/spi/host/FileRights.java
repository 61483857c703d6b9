package io.fairlead.spi.host;

import io.fairlead.spi.Diagnosis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;

/** Who beside its owner can write or read a file that decides whom to trust. Where files have no such rights, nobody can. Thread-safe. */
public final class FileRights {
    /** In a folder with this mode bit, files can be renamed and deleted by their owners alone. */
    private static final int STICKY = 0x200;

    private FileRights() {}

    /**
     * Whether all users of the host can write a file.
     *
     * @param path where it is
     * @return true if they can; false also if that cannot be found out
     */
    public static boolean isWritableByAll(Path path) {
        return of(path).contains(PosixFilePermission.OTHERS_WRITE);
    }

    /**
     * Whether all users of the host can read or write a file.
     *
     * @param path where it is
     * @return true if they can; false also if that cannot be found out
     */
    public static boolean isOpenToAll(Path path) {
        return of(path).contains(PosixFilePermission.OTHERS_READ) || isWritableByAll(path);
    }

    /**
     * What is wrong with who can change a file. A process refuses what all users can write, and takes what a group can, which may be meant; this names both.
     *
     * @param name what the finding is called
     * @param what the file is for, and what whoever changes it gains: {@code the rules and let anybody in}
     * @param file where it is
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
            // Reading it tells what is wrong with it.
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
