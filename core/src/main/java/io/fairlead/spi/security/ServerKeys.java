package io.fairlead.spi.security;

import javax.net.ssl.SSLContext;

/**
 * The certificate and the trust of a process for a server of another protocol, such as HTTP. Connections of Fairlead's have {@link ConnectionSecurity}, which reads the same files.
 * Thread-safe.
 */
public interface ServerKeys extends AutoCloseable {
    /**
     * The newest keys. A server asks at each connection, so that it uses a certificate that has been replaced.
     *
     * @return shows this process's certificate, and accepts the certificates of clients that it would accept of peers; sockets and engines of it are
     *     for servers alone, which enable TLS 1.3 and nothing older
     * @throws io.fairlead.FairleadException {@code CLOSED} after {@link #close()}
     */
    SSLContext context();

    /** Stops looking for new keys. Connections that were made before go on. May be called again. */
    @Override
    void close();
}
