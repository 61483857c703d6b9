/** Services as Java interfaces, on the requests of nodes. */
module io.fairlead.services {
    requires transitive io.fairlead.node;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.fairlead.services;
}
