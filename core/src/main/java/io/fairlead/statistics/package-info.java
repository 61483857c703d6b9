/** Counters and latency histograms of contexts, workers and endpoints. Any thread may read them at any time. */
@NullMarked
package io.fairlead.statistics;

import org.jspecify.annotations.NullMarked;
