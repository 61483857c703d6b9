/**
 * What a context counts, for whoever watches it: {@link io.fairlead.metrics.FairleadMetrics} as meters of a Micrometer registry,
 * {@link io.fairlead.metrics.MetricsServer} over HTTP for Prometheus, and {@link io.fairlead.metrics.FairleadMeter}, the list of all meters.
 */
@NullMarked
package io.fairlead.metrics;

import org.jspecify.annotations.NullMarked;
