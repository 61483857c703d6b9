/** Finds the members of a service by DNS. */
module io.fairlead.discovery.dns {
    requires transitive io.fairlead.node;
    requires static org.jspecify;
    requires org.dnsjava;
    requires org.slf4j;

    provides io.fairlead.node.discovery.ResolverProvider with
            io.fairlead.discovery.dns.DnsProvider;
}
