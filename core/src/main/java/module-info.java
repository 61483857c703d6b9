/** Fairlead's API, the SPI for transports, and the engine between them. */
module io.fairlead {
    requires static transitive org.jspecify;
    requires jdk.jfr;
    requires typesafe.config;
    requires org.jctools.core;
    requires org.slf4j;

    exports io.fairlead;
    exports io.fairlead.spi;
    exports io.fairlead.pubsub;

    uses io.fairlead.spi.TransportProvider;
}
