package io.fairlead.security.engine;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/** Makes the engines of connections. Thread-safe. The caller sets version, application protocol, client authentication
 * and the check of the host on what it gets; the suites are those that the library has for TLS 1.3. */
public interface Engines {
    /**
     * Makes an engine in client mode.
     *
     * @param host the peer's name or address
     * @param port the peer's port
     * @return a new one, that resumes no earlier session
     */
    SSLEngine client(String host, int port);

    /**
     * Makes an engine in server mode.
     *
     * @return a new one, that lets nobody resume its session
     */
    SSLEngine server();

    /**
     * Derives key material of a connection by the exporter of TLS 1.3.
     *
     * @param engine one of these, whose handshake has ended
     * @param label of the exporter
     * @param context of the exporter
     * @param length in bytes
     * @return the material
     * @throws SSLException if the library refuses
     */
    byte[] export(SSLEngine engine, String label, byte[] context, int length) throws SSLException;
}
