package io.fairlead.metrics;

/** Whom a {@link MetricsServer} with TLS talks to. */
public enum TlsClients {
    /** Any client, so that a token must authorize the requests. */
    ANYONE,
    /** Only clients with a certificate that the server trusts. */
    WITH_CERTIFICATE
}
