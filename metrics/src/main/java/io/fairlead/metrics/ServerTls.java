package io.fairlead.metrics;

import java.io.IOException;
import java.net.Socket;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * TLS 1.3 on accepted connections. Thread-safe.
 *
 * @param keys asked at each connection, so that it may answer with newer ones
 * @param clients who is talked to
 * @param release what the server runs when it is closed
 */
record ServerTls(Supplier<SSLContext> keys, TlsClients clients, Runnable release) implements AutoCloseable {
    /** Puts TLS on a connection; the handshake comes with the first read. Its close closes the connection. */
    SSLSocket accept(Socket connection) throws IOException {
        SSLSocket secured =
                (SSLSocket) keys.get().getSocketFactory().createSocket(connection, connection.getInputStream(), true);
        secured.setUseClientMode(false);
        secured.setEnabledProtocols(new String[] {"TLSv1.3"});
        secured.setNeedClientAuth(clients == TlsClients.WITH_CERTIFICATE);
        return secured;
    }

    @Override
    public void close() {
        release.run();
    }
}
