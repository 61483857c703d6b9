/** Fairlead's API, the SPI for transports, and the engine between them. */
@SuppressWarnings(
        "module") // Exports of internal packages name modules that are compiled later and are not visible yet.
module io.fairlead {
    requires static transitive com.google.errorprone.annotations;
    requires static transitive org.jspecify;
    requires jdk.jfr;
    requires typesafe.config;
    requires org.jctools.core;
    requires org.slf4j;

    exports io.fairlead;
    exports io.fairlead.config;
    exports io.fairlead.observation;
    exports io.fairlead.spi;
    exports io.fairlead.spi.host;
    exports io.fairlead.spi.security;
    exports io.fairlead.spi.served;
    exports io.fairlead.statistics;
    exports io.fairlead.internal.access to
            io.fairlead.security;
    exports io.fairlead.internal.diagnosis to
            io.fairlead.cli;
    exports io.fairlead.internal.files to
            io.fairlead.cli,
            io.fairlead.security;
    exports io.fairlead.internal.log to
            io.fairlead.node,
            io.fairlead.pubsub,
            io.fairlead.spring;
    exports io.fairlead.internal.names to
            io.fairlead.cli,
            io.fairlead.node,
            io.fairlead.pubsub,
            io.fairlead.spring;
    exports io.fairlead.internal.providers to
            io.fairlead.cli,
            io.fairlead.testkit;

    uses io.fairlead.spi.ConfigKeyProvider;
    uses io.fairlead.spi.TransportProvider;
    uses io.fairlead.spi.security.SecurityProvider;
}
