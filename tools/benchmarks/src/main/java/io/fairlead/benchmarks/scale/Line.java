package io.fairlead.benchmarks.scale;

import java.util.List;

/**
 * One line of a table.
 *
 * @param series the transport
 * @param count how many of what the table is about
 * @param label that number, as the table has it
 * @param size bytes of a message or transfer
 * @param figures of each column, its rounds; none where the figure does not exist
 */
record Line(String series, long count, String label, long size, List<List<Double>> figures) {}
