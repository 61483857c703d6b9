/** What the comparisons know of processes: the second one of a comparison, and what a process takes of the processors. */
@NullMarked
package io.fairlead.benchmarks.process;

import org.jspecify.annotations.NullMarked;
