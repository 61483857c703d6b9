package io.fairlead.metrics;

/** Whom a {@link MetricsServer} with TLS talks to. */
public enum TlsClients {
    /** Anybody, so that a token has to tell who may read. */
    ANYONE,
    /** Those alone that show a certificate which the server trusts. */
    WITH_CERTIFICATE
}
