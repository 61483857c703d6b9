package io.fairlead.testkit.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A plain socket that plays a peer. Never blocks, so that the case's thread can drive the real side meanwhile. */
public final class RawPeer implements AutoCloseable {
    private final SocketChannel channel;
    private boolean ended;

    public RawPeer(SocketChannel channel) throws IOException {
        this.channel = channel;
        channel.configureBlocking(false);
    }

    /** Connects; the kernel completes that without the listener's doing. */
    public static RawPeer connect(InetSocketAddress address) throws IOException {
        return new RawPeer(SocketChannel.open(address));
    }

    /** Begins to connect; the kernel goes on with that by itself. */
    public static RawPeer begin(InetSocketAddress address) throws IOException {
        RawPeer peer = new RawPeer(SocketChannel.open());
        peer.channel.connect(address);
        return peer;
    }

    /** Begins to connect from an address of this host. */
    public static RawPeer begin(InetAddress source, InetSocketAddress address) throws IOException {
        RawPeer peer = new RawPeer(SocketChannel.open());
        peer.channel.bind(new InetSocketAddress(source, 0));
        peer.channel.connect(address);
        return peer;
    }

    /** Writes bytes that fit the socket's buffer. */
    public void write(byte[] bytes) throws IOException {
        ByteBuffer source = ByteBuffer.wrap(bytes);
        while (source.hasRemaining()) {
            channel.write(source);
        }
    }

    /** Whether the kernel has connected it. */
    public boolean isConnected() {
        return channel.isConnected();
    }

    public void writeIfOpen(byte value) {
        try {
            if (channel.isConnected()) {
                channel.write(ByteBuffer.wrap(new byte[] {value}));
            }
        } catch (IOException e) {
            // The other side has hung up, which is what the case waits to see.
            ended = true;
        }
    }

    /** Reads what is there; true once the other side has hung up. */
    public boolean read(ByteBuffer target) {
        try {
            if (channel.isConnectionPending() && !channel.finishConnect()) {
                return false;
            }
            if (!ended && channel.read(target) < 0) {
                ended = true;
            }
        } catch (IOException e) {
            ended = true;
        }
        return ended;
    }

    /** Whether the other side has hung up; throws away what it said before. */
    public boolean isAtEnd() {
        return read(ByteBuffer.allocate(4096));
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
