package io.fairlead.transport.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Two connected sockets. */
record Sockets(SocketChannel left, SocketChannel right) {
    static Sockets connected() {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel left = SocketChannel.open(server.getLocalAddress());
            SocketChannel right = server.accept();
            left.configureBlocking(false);
            right.configureBlocking(false);
            return new Sockets(left, right);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
