package io.fairlead.internal.diagnosis;

import io.fairlead.FairleadConfig;
import io.fairlead.internal.access.AccessDiagnosis;
import io.fairlead.internal.liveness.LivenessDiagnosis;
import io.fairlead.spi.Diagnosis;
import java.util.List;

/**
 * The diagnosis that {@code fairlead doctor} gets from core; the command sees no more of the engine. Nothing here
 * throws or changes anything.
 */
public final class CoreDiagnosis {
    private CoreDiagnosis() {}

    /**
     * The findings about the file of rules.
     *
     * @param config the configuration that a context would be opened with
     * @return the findings
     */
    public static List<Diagnosis> access(FairleadConfig config) {
        return AccessDiagnosis.of(config);
    }

    /**
     * The finding about the detection of lost hosts.
     *
     * @param config the configuration that a context would be opened with
     * @return the finding
     */
    public static Diagnosis liveness(FairleadConfig config) {
        return LivenessDiagnosis.of(config);
    }
}
