/** Fairlead's API, the SPI for transports, and the engine between them. */
@SuppressWarnings("module") // The command is compiled after this module, which does not see it yet.
module io.fairlead {
    requires static transitive org.jspecify;
    requires jdk.jfr;
    requires typesafe.config;
    requires org.jctools.core;
    requires org.slf4j;

    exports io.fairlead;
    exports io.fairlead.spi;
    exports io.fairlead.spi.host;
    exports io.fairlead.spi.served;
    exports io.fairlead.pubsub;
    exports io.fairlead.internal.names to
            io.fairlead.cli;

    uses io.fairlead.spi.TransportProvider;
}
