/** Nodes and a registry of one process, to test services with any test library. */
module io.fairlead.servicetest {
    requires transitive io.fairlead.node;
    requires static transitive org.jspecify;

    exports io.fairlead.servicetest;

    provides io.fairlead.node.discovery.ResolverProvider with
            io.fairlead.servicetest.MemoryRegistry;
}
