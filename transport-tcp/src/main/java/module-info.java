/** The transport over TCP. */
module io.fairlead.transport.tcp {
    requires io.fairlead;
    requires static org.jspecify;
    requires org.slf4j;
}
