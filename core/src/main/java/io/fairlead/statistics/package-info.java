/** Counters and latency histograms of contexts, workers and endpoints, to be read by any thread at any time. */
@NullMarked
package io.fairlead.statistics;

import org.jspecify.annotations.NullMarked;
