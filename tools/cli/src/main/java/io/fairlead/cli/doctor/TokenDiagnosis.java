package io.fairlead.cli.doctor;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKeys;
import io.fairlead.metrics.MetricsServer;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.host.FileRights;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What {@code fairlead doctor} reports about the file with the token of the metrics port. */
final class TokenDiagnosis {
    private static final String NAME = "metrics token";

    private TokenDiagnosis() {}

    /** Nothing where none is configured. */
    static List<Diagnosis> of(FairleadConfig settings) {
        String file = settings.value(ConfigKeys.METRICS_TOKEN_FILE);
        if (file.isBlank()) {
            return List.of();
        }
        try {
            // As a process does that serves metrics.
            MetricsServer.builder().access(settings);
            Optional<Diagnosis> open = FileRights.diagnose(NAME, "the token that shows the metrics", Path.of(file));
            return List.of(open.orElseGet(() -> Diagnosis.ok(NAME, "read, and not open to all users: file=" + file)));
        } catch (FairleadException | InvalidPathException refused) {
            String message = String.valueOf(refused.getMessage());
            int cut = message.lastIndexOf("; ");
            return List.of(
                    cut < 0
                            ? Diagnosis.failure(NAME, message, "correct metrics.token-file")
                            : Diagnosis.failure(NAME, message.substring(0, cut), message.substring(cut + 2)));
        }
    }
}
