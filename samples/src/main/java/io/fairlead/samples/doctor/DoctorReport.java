package io.fairlead.samples.doctor;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fairlead.spi.Diagnosis;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What {@code fairlead doctor --json} prints. */
record DoctorReport(
        List<Check> checks,
        @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<PathReport> path,
        boolean ok) {
    static DoctorReport of(List<Diagnosis> findings, Optional<PathReport> path) {
        return new DoctorReport(
                findings.stream().map(Check::of).toList(),
                path,
                findings.stream().noneMatch(finding -> finding.level() == Diagnosis.Level.FAILURE));
    }

    long count(Diagnosis.Level level) {
        return checks.stream()
                .filter(check -> check.level().equals(word(level)))
                .count();
    }

    static String word(Diagnosis.Level level) {
        return level.name().toLowerCase(Locale.ROOT);
    }

    /** One line. */
    record Check(String level, String name, String finding, String remedy) {
        static Check of(Diagnosis finding) {
            return new Check(word(finding.level()), finding.name(), finding.finding(), finding.remedy());
        }
    }
}
