/** Thread-safe messaging with futures, on Fairlead's worker API. */
module io.fairlead.node {
    requires transitive io.fairlead;
    requires static transitive org.jspecify;
    requires org.jctools.core;
    requires org.slf4j;

    exports io.fairlead.node;
    exports io.fairlead.node.launch;

    provides io.fairlead.spi.ConfigKeyProvider with
            io.fairlead.node.NodeKeys;
}
