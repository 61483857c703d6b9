package io.fairlead.cli.check;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.FairleadVersion;
import io.fairlead.cli.doctor.DoctorReport;
import io.fairlead.cli.doctor.PathReport;
import io.fairlead.cli.measure.Report;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * What {@code fairlead rdma-check --json} writes.
 *
 * @param time when the check began, as ISO 8601 has it
 * @param here the host of the command
 * @param peer the host of the other side
 * @param path the way that the data took
 * @param rdma whether that was RDMA
 * @param checks what was checked
 * @param figures what {@code fairlead perf} measured
 * @param ok whether everything was as it should be
 */
record CheckReport(
        String time,
        Host here,
        Host peer,
        PathReport path,
        boolean rdma,
        List<Check> checks,
        List<Report.Row> figures,
        boolean ok) {

    /** A host as its own process sees it; without its name, since reports are made to be shown around. */
    record Host(String fairlead, String system, int processors, DoctorReport doctor) {
        static Host here(FairleadConfig config) {
            try {
                return new Host(
                        new FairleadVersion().getVersion()[0],
                        System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                                + System.getProperty("os.arch"),
                        Runtime.getRuntime().availableProcessors(),
                        DoctorReport.ofHost(config));
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        }

        List<String> lines() {
            return doctor.lines().stream().map(line -> "  " + line).toList();
        }

        String title() {
            return fairlead + ", " + system + ", " + processors + " processors";
        }
    }

    /** One check: passed, failed or skipped. */
    record Check(String part, String name, String result, double ms, String detail) {
        private static final String FAILED = "failed";
        private static final double MILLION = 1e6;

        /** Runs a check, which returns what there is to say of its success; what it throws is its failure. */
        static Check of(String part, String name, Supplier<String> body) {
            long began = System.nanoTime();
            String result = "passed";
            String detail;
            try {
                detail = body.get();
            } catch (CommandFailure | FairleadException failed) {
                result = FAILED;
                detail = String.valueOf(failed.getMessage());
            } catch (RuntimeException failed) {
                result = FAILED;
                detail = failed.toString();
            }
            return new Check(part, name, result, (System.nanoTime() - began) / MILLION, detail);
        }

        static Check failed(String part, String name, String cause) {
            return new Check(part, name, FAILED, 0, cause);
        }

        static Check passed(String part, String name, String detail) {
            return new Check(part, name, "passed", 0, detail);
        }

        static Check skipped(String part, String name, String cause) {
            return new Check(part, name, "skipped", 0, cause);
        }

        @JsonIgnore
        boolean isFailure() {
            return result.equals(FAILED);
        }

        String line() {
            return String.format(
                            Locale.ROOT,
                            "  %-7s  %-42s %9s  %s",
                            result,
                            name,
                            ms == 0 ? "" : String.format(Locale.ROOT, "%.1f ms", ms),
                            detail)
                    .stripTrailing();
        }
    }

    void write(Path file) {
        Report.write(file, this);
    }
}
