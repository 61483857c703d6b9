/** The comparisons, as {@code fairlead bench} has them; each measures Fairlead beside its contestants. */
@NullMarked
package io.fairlead.benchmarks;

import org.jspecify.annotations.NullMarked;
