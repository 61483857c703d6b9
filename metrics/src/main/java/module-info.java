/** Fairlead's statistics as Micrometer meters, and an HTTP endpoint for Prometheus. */
module io.fairlead.metrics {
    requires transitive io.fairlead;
    requires transitive io.fairlead.node;
    requires transitive io.fairlead.pubsub;
    requires io.prometheus.metrics.exporter.httpserver;
    requires io.prometheus.metrics.model;
    requires transitive jdk.httpserver;
    requires micrometer.commons;
    requires transitive micrometer.core;
    requires transitive micrometer.observation;
    requires transitive micrometer.registry.prometheus;
    requires static org.jspecify;
    requires org.slf4j;

    exports io.fairlead.metrics;

    uses io.fairlead.spi.security.SecurityProvider;
}
