package io.fairlead.benchmarks.plot;

import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Row;

/** Adds figures to reports that nothing has measured. */
final class Rows {
    private Rows() {}

    static void add(
            Report report,
            String suite,
            String name,
            String subject,
            long size,
            String metric,
            double value,
            String unit) {
        report.rows().add(new Row(suite, name, subject, size, metric, value, unit));
    }
}
