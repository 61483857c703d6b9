/** Drawings of what comparisons have measured. */
@NullMarked
package io.fairlead.benchmarks.plot;

import org.jspecify.annotations.NullMarked;
