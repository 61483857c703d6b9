/** The transport over TCP. */
module io.fairlead.transport.tcp {
    requires transitive io.fairlead;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.fairlead.transport.tcp;

    provides io.fairlead.spi.TransportProvider with
            io.fairlead.transport.tcp.TcpProvider;
}
