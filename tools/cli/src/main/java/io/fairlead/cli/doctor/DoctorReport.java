package io.fairlead.cli.doctor;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fairlead.FairleadConfig;
import io.fairlead.spi.Diagnosis;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What {@code fairlead doctor --json} prints.
 *
 * @param checks what was looked at
 * @param path the way that the data of two processes of this host took; empty if it took none, or was not tried
 * @param ok whether nothing failed
 */
public record DoctorReport(
        List<Check> checks,
        @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<PathReport> path,
        boolean ok) {
    static DoctorReport of(List<Diagnosis> findings, Optional<PathReport> path) {
        return new DoctorReport(
                findings.stream().map(Check::of).toList(),
                path,
                findings.stream().noneMatch(finding -> finding.level() == Diagnosis.Level.FAILURE));
    }

    /**
     * What this process sees of its host, without the path of two processes.
     *
     * @param settings the configuration, which says what transports matter
     * @return the report
     */
    public static DoctorReport ofHost(FairleadConfig settings) {
        return of(DoctorCommand.host(settings), Optional.empty());
    }

    /**
     * The checks for a reader.
     *
     * @return a line each
     */
    public List<String> lines() {
        int width =
                checks.stream().mapToInt(check -> check.name().length()).max().orElse(1);
        String format = "%-7s  %-" + width + "s  %s%s";
        return checks.stream()
                .map(check -> String.format(
                        Locale.ROOT,
                        format,
                        check.level(),
                        check.name(),
                        check.finding(),
                        check.remedy().isEmpty() ? "" : "; " + check.remedy()))
                .toList();
    }

    long count(Diagnosis.Level level) {
        return checks.stream()
                .filter(check -> check.level().equals(word(level)))
                .count();
    }

    static String word(Diagnosis.Level level) {
        return level.name().toLowerCase(Locale.ROOT);
    }

    /**
     * One line.
     *
     * @param level ok, warning or failure
     * @param name what was looked at
     * @param finding what was seen there
     * @param remedy what mends it; empty if nothing needs mending
     */
    public record Check(String level, String name, String finding, String remedy) {
        static Check of(Diagnosis finding) {
            return new Check(word(finding.level()), finding.name(), finding.finding(), finding.remedy());
        }
    }
}
