/** TLS with certificates or a shared secret for Fairlead's connections, and the making of keys. */
module io.fairlead.security {
    requires transitive io.fairlead;
    requires org.bouncycastle.pkix;
    requires org.bouncycastle.provider;
    // Optional, because it has native code; applications add it themselves.
    requires static org.conscrypt;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.fairlead.security;
    exports io.fairlead.security.certificates;
    exports io.fairlead.security.engine;

    uses io.fairlead.security.engine.EngineProvider;

    provides io.fairlead.security.engine.EngineProvider with
            io.fairlead.security.internal.tls.JdkEngines,
            io.fairlead.security.internal.tls.ConscryptEngines;
    provides io.fairlead.spi.security.SecurityProvider with
            io.fairlead.security.internal.KeyFileSecurity;
}
