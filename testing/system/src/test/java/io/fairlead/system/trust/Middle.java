package io.fairlead.system.trust;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** Somebody between a connector and a listener, who passes on and writes down what the connector says. */
final class Middle implements AutoCloseable {
    private final ServerSocket server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();

    private Middle(ServerSocket server, ForeignTls.Blocking<Socket> onward) {
        this.server = server;
        Thread.ofPlatform().daemon().name("middle").start(() -> accept(onward));
    }

    /** Hears what is on the wire. */
    static Middle onTheWire(InetSocketAddress listener) throws IOException {
        return new Middle(
                new ServerSocket(0, 1, InetAddress.getLoopbackAddress()),
                () -> new Socket(listener.getAddress(), listener.getPort()));
    }

    /** Ends TLS on both sides, with a key of its own, and hears what is inside. */
    static Middle insideTls(InetSocketAddress listener, SSLContext own) throws IOException {
        SSLServerSocket server = (SSLServerSocket)
                own.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress());
        SSLParameters parameters = ForeignTls.parameters("TLSv1.3");
        parameters.setWantClientAuth(true);
        server.setSSLParameters(parameters);
        return new Middle(server, () -> {
            SSLSocket socket =
                    (SSLSocket) own.getSocketFactory().createSocket(listener.getAddress(), listener.getPort());
            socket.setSSLParameters(ForeignTls.parameters("TLSv1.3"));
            return socket;
        });
    }

    InetSocketAddress address() {
        // An address without a name, which certificates are made for.
        return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), server.getLocalPort());
    }

    /** All that connectors have said. */
    synchronized byte[] recorded() {
        return recorded.toByteArray();
    }

    private void accept(ForeignTls.Blocking<Socket> onward) {
        try {
            while (true) {
                Socket connector = server.accept();
                Socket listener = onward.run();
                sockets.addAll(List.of(connector, listener));
                Thread.ofPlatform().daemon().start(() -> pass(connector, listener, true));
                Thread.ofPlatform().daemon().start(() -> pass(listener, connector, false));
            }
        } catch (Exception closed) {
            // The test has ended, or a side has left.
        }
    }

    private void pass(Socket from, Socket to, boolean record) {
        byte[] bytes = new byte[16 << 10];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                if (record) {
                    note(bytes, count);
                }
                out.write(bytes, 0, count);
                out.flush();
            }
        } catch (IOException left) {
            // Closing both tells the other side.
        }
    }

    private synchronized void note(byte[] bytes, int count) {
        recorded.write(bytes, 0, count);
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
