package io.fairlead.spi.security;

import javax.net.ssl.SSLContext;

/**
 * The certificate and the trust of a process for a server of another protocol, such as HTTP. {@link ConnectionSecurity}
 * reads the same files for connections of Fairlead. Thread-safe.
 */
public interface ServerKeys extends AutoCloseable {
    /**
     * The newest keys. A server calls this for each connection, to use a replaced certificate.
     *
     * @return presents this process's certificate, and accepts client certificates that it would accept of peers;
     *     sockets and engines of it are for servers only, and enable only TLS 1.3
     * @throws io.fairlead.FairleadException {@code CLOSED} after {@link #close()}
     */
    SSLContext context();

    /** Stops checking for new keys. Existing connections keep working. Idempotent. */
    @Override
    void close();
}
