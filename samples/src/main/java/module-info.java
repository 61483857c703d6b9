/** Applications on Fairlead's public API, to copy from. */
module io.fairlead.samples {
    requires transitive io.fairlead;
    requires transitive io.fairlead.node;
    requires transitive io.fairlead.pubsub;
    requires transitive io.fairlead.services;
    requires static io.fairlead.codec.jackson;
    requires static io.fairlead.metrics;
    requires static org.jspecify;

    exports io.fairlead.samples.cache;
    exports io.fairlead.samples.data;
    exports io.fairlead.samples.pubsub;
    exports io.fairlead.samples.training;
}
