package io.fairlead.benchmarks.scale;

import java.util.List;

/** How figures change with the number of one thing. */
interface Table {
    /** As the command and the report have it. */
    String title();

    /** What is measured. */
    String description();

    /** Its figures, each beside the same one of the first line of its series. */
    List<Column> columns();

    /** Measures. */
    List<Line> measure(ScalePlan plan, Steps steps);
}
