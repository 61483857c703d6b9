package io.fairlead.internal.diagnosis;

import io.fairlead.FairleadConfig;
import io.fairlead.internal.access.AccessDiagnosis;
import io.fairlead.internal.liveness.LivenessDiagnosis;
import io.fairlead.spi.Diagnosis;
import java.util.List;

/** What {@code fairlead doctor} asks core, and all that it sees of the engine. Nothing here throws or changes anything. */
public final class CoreDiagnosis {
    private CoreDiagnosis() {}

    /**
     * What there is to say of the file of rules.
     *
     * @param config what a context would be opened with
     * @return what was found
     */
    public static List<Diagnosis> access(FairleadConfig config) {
        return AccessDiagnosis.of(config);
    }

    /**
     * How lost hosts would be found.
     *
     * @param config what a context would be opened with
     * @return what was found
     */
    public static Diagnosis liveness(FairleadConfig config) {
        return LivenessDiagnosis.of(config);
    }
}
