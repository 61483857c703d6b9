/** Contestants of the comparisons, each in two processes of its own, and the turns that they take. */
@NullMarked
package io.fairlead.benchmarks.contest;

import org.jspecify.annotations.NullMarked;
