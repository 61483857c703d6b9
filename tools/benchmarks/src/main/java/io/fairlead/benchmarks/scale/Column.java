package io.fairlead.benchmarks.scale;

/**
 * One figure of a table.
 *
 * @param metric as the report has it
 * @param title as the table has it
 * @param unit of the figure
 */
record Column(String metric, String title, String unit) {}
