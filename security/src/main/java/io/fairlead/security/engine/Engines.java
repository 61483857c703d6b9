package io.fairlead.security.engine;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * Creates the engines of connections. Thread-safe. The caller sets version, application protocol, client authentication and
 * the check of the host on each engine; the suites are the library's for TLS 1.3.
 */
public interface Engines {
    /**
     * Creates an engine in client mode.
     *
     * @param host the peer's name or address
     * @param port the peer's port
     * @return a new engine, which resumes no session
     */
    SSLEngine client(String host, int port);

    /**
     * Creates an engine in server mode.
     *
     * @return a new engine, whose sessions cannot be resumed
     */
    SSLEngine server();

    /**
     * Derives key material of a connection by the exporter of TLS 1.3.
     *
     * @param engine an engine of this factory, whose handshake has ended
     * @param label label of the exporter
     * @param context context of the exporter
     * @param length in bytes
     * @return the material
     * @throws SSLException if the library rejects the call
     */
    byte[] export(SSLEngine engine, String label, byte[] context, int length) throws SSLException;
}
