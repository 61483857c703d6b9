package io.fairlead.cli.train;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Which of this host's addresses others know it by. */
final class LocalAddress {
    private LocalAddress() {}

    /** The address that the kernel sends from to another host; nothing is sent. */
    static InetAddress towards(InetSocketAddress other) {
        if (other.getAddress().isLoopbackAddress()) {
            return other.getAddress();
        }
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(other);
            return socket.getLocalAddress();
        } catch (IOException noRoute) {
            throw new UncheckedIOException(noRoute);
        }
    }
}
