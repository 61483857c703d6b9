/** The suites of nodes and publish-subscribe, which run over any transport, and a registry of services in memory. */
module io.fairlead.testkit.layers {
    requires transitive io.fairlead.node;
    requires transitive io.fairlead.pubsub;
    requires transitive io.fairlead.testkit;
    requires static transitive org.jspecify;
    requires java.management;
    requires jdk.management;

    exports io.fairlead.testkit.layers;
    exports io.fairlead.testkit.layers.discovery;

    provides io.fairlead.node.discovery.ResolverProvider with
            io.fairlead.testkit.layers.discovery.MemoryRegistry;
}
