package io.fairlead.security.internal;

import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecureEngine;
import javax.net.ssl.SSLException;

/**
 * The two ends of a connection in memory, both of them this module's.
 *
 * @param connector the end that connects
 * @param listener the end that accepts
 * @param wire between them
 */
record SecurePair(SecureEngine connector, SecureEngine listener, EnginePair wire) {
    private static final int PORT = 7400;

    /** Has one connect to another's certificate. */
    static SecurePair shake(ConnectionSecurity connector, ConnectionSecurity listener) throws SSLException {
        return shake(connector, KeyFolder.HOST, listener);
    }

    /** Has one connect to another that it knows by a name. */
    static SecurePair shake(ConnectionSecurity connector, String host, ConnectionSecurity listener)
            throws SSLException {
        return shake(connector.connector(host, PORT), listener.listener());
    }

    /** Lets two engines talk. */
    static SecurePair shake(SecureEngine connector, SecureEngine listener) throws SSLException {
        return new SecurePair(connector, listener, EnginePair.shake(connector.engine(), listener.engine()));
    }

    /** Fails with both reasons unless both ends are through. */
    SecurePair assertConnected() throws SSLException {
        wire.assertConnected();
        return this;
    }

    /** What the connector's end failed with; fails if it did not. */
    String connectorFailure() {
        return wire.connectorFailure();
    }

    /** What the listener's end failed with; fails if it did not. */
    String listenerFailure() {
        return wire.listenerFailure();
    }
}
