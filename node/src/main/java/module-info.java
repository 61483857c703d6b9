/** Thread-safe messaging with futures, on Fairlead's worker API. */
module io.fairlead.node {
    requires transitive io.fairlead;
    requires static transitive org.jspecify;
    requires org.jctools.core;
    requires org.slf4j;

    exports io.fairlead.node;
    exports io.fairlead.node.discovery;
    exports io.fairlead.node.launch;

    uses io.fairlead.node.discovery.ResolverProvider;

    provides io.fairlead.node.discovery.ResolverProvider with
            io.fairlead.node.internal.discovery.StaticProvider;
    provides io.fairlead.spi.ConfigKeyProvider with
            io.fairlead.node.NodeKeys;
}
