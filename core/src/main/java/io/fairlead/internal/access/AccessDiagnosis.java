package io.fairlead.internal.access;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.Diagnosis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;

/** What {@code fairlead doctor} tells of the file of rules. */
public final class AccessDiagnosis {
    private static final String NAME = "acl";
    /** In a folder with this mode bit, files can be renamed and deleted by their owners alone. */
    private static final int STICKY = 0x200;

    private AccessDiagnosis() {}

    /**
     * Reads the file that is configured, by the same parser as a context, and looks at who else can write it. Changes nothing.
     *
     * @param config what a context would be opened with
     * @return what was found; never an exception
     */
    public static List<Diagnosis> of(FairleadConfig config) {
        String name = config.value(ConfigKeys.SECURITY_ACL);
        if (name.isBlank()) {
            return List.of(Diagnosis.ok(NAME, "no rules are configured: security.acl is empty"));
        }
        Path file = Path.of(name);
        int count;
        try {
            count = AccessFileParser.read(file).count();
        } catch (FairleadException refused) {
            return List.of(
                    Diagnosis.failure(NAME, String.valueOf(refused.getMessage()), "correct security.acl or the file"));
        }
        if (isOpenToOthers(file)) {
            return List.of(Diagnosis.failure(
                    NAME,
                    "all users of this host can write the rules and let anybody in: file=" + file,
                    "chmod o-w " + file));
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && isOpenToOthers(folder) && !isSticky(folder)) {
            return List.of(Diagnosis.failure(
                    NAME,
                    "all users of this host can replace the rules and let anybody in: folder=" + folder,
                    "chmod o-w " + folder));
        }
        if (count == 0) {
            return List.of(Diagnosis.warning(
                    NAME, "has no rule, so that every peer is refused: file=" + file, "add rules to the file"));
        }
        return List.of(Diagnosis.ok(
                NAME, "read, and only its owner and group can write it: file=" + file + ", rules=" + count));
    }

    /** False where files have no such rights. */
    private static boolean isOpenToOthers(Path path) {
        try {
            Set<PosixFilePermission> rights = Files.getPosixFilePermissions(path);
            return rights.contains(PosixFilePermission.OTHERS_WRITE);
        } catch (IOException | UnsupportedOperationException none) {
            return false;
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
