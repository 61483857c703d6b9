/** Comparisons with peers, each in one run with its reference: the figures are ratios. */
@NullMarked
package io.fairlead.benchmarks;

import org.jspecify.annotations.NullMarked;
