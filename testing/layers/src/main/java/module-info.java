/** The suites of nodes, publish-subscribe and typed services, which run over any transport. */
module io.fairlead.testkit.layers {
    requires transitive io.fairlead.node;
    requires transitive io.fairlead.pubsub;
    requires transitive io.fairlead.services;
    requires transitive io.fairlead.servicetest;
    requires transitive io.fairlead.testkit;
    requires static transitive org.jspecify;
    requires java.management;
    requires jdk.management;
    requires org.slf4j;

    exports io.fairlead.testkit.layers;
    exports io.fairlead.testkit.layers.discovery;
}
