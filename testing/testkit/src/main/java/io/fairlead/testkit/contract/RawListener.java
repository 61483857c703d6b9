package io.fairlead.testkit.contract;

import io.fairlead.testkit.internal.RawPeer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A plain server socket on a free port of 127.0.0.1 that plays a listener. Never blocks. */
final class RawListener implements AutoCloseable {
    private final ServerSocketChannel channel;

    RawListener() throws IOException {
        channel = ServerSocketChannel.open();
        channel.configureBlocking(false);
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    InetSocketAddress address() {
        try {
            return (InetSocketAddress) channel.getLocalAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next peer, or null if there is none yet. */
    @Nullable RawPeer poll() {
        try {
            SocketChannel accepted = channel.accept();
            return accepted == null ? null : new RawPeer(accepted);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
