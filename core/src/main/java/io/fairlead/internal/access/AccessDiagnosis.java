package io.fairlead.internal.access;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.host.FileRights;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The findings of {@code fairlead doctor} about the file of rules. */
public final class AccessDiagnosis {
    private static final String NAME = "acl";

    private AccessDiagnosis() {}

    /**
     * Reads the configured file with a context's parser, and checks who else can write it. Changes nothing.
     *
     * @param config the configuration that a context would be opened with
     * @return the findings; never an exception
     */
    public static List<Diagnosis> of(FairleadConfig config) {
        String name = config.value(ConfigKeys.SECURITY_ACL);
        if (name.isBlank()) {
            return List.of(Diagnosis.ok(NAME, "no rules are configured: security.acl is empty"));
        }
        Path file;
        int count;
        try {
            file = AccessFileParser.path(name);
            Optional<Diagnosis> open = FileRights.diagnose(NAME, "the rules and let anybody in", file);
            if (open.isPresent()) {
                return List.of(open.orElseThrow());
            }
            count = AccessFileParser.read(file).count();
        } catch (FairleadException refused) {
            return List.of(
                    Diagnosis.failure(NAME, String.valueOf(refused.getMessage()), "correct security.acl or the file"));
        }
        if (count == 0) {
            return List.of(Diagnosis.warning(
                    NAME, "has no rule, so that every peer is refused: file=" + file, "add rules to the file"));
        }
        return List.of(Diagnosis.ok(NAME, "read, and only its owner can write it: file=" + file + ", rules=" + count));
    }
}
