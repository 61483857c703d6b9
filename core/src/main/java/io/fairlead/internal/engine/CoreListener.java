package io.fairlead.internal.engine;

import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.internal.handshake.HandshakeHost;
import io.fairlead.internal.handshake.ServerHandshake;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.spi.Selectable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts connections as long as the worker has room for their handshakes; the rest wait in the kernel's queue. */
final class CoreListener implements Listener, Selectable {
    private static final Logger LOG = LoggerFactory.getLogger(CoreListener.class);
    private static final int BACKLOG = 1024;

    /** The worker that a listener accepts connections for. */
    interface Host extends HandshakeHost {
        boolean hasRoomForHandshake();

        /** Why a peer is refused whatever it says; empty if it is not. */
        String refusal(InetAddress source);

        /** Has {@link #resume} called on all listeners after a while. */
        void pauseAccepting();

        void addHandshake(ServerHandshake handshake);

        /** The listener is closed. */
        void forget(CoreListener listener);
    }

    private final WorkerThread thread;
    private final Host host;
    private final EndpointHandler handler;
    private final ServerSocketChannel channel;
    private final SelectionKey key;
    private final InetSocketAddress address;
    private boolean closed;

    private CoreListener(WorkerThread thread, Host host, EndpointHandler handler, ServerSocketChannel channel)
            throws IOException {
        this.thread = thread;
        this.host = host;
        this.handler = handler;
        this.channel = channel;
        this.address = (InetSocketAddress) channel.getLocalAddress();
        this.key = channel.register(host.selector(), SelectionKey.OP_ACCEPT, this);
    }

    static CoreListener open(WorkerThread thread, Host host, InetSocketAddress address, EndpointHandler handler) {
        ServerSocketChannel channel = null;
        try {
            channel = ServerSocketChannel.open();
            channel.configureBlocking(false);
            channel.bind(address, BACKLOG);
            return new CoreListener(thread, host, handler, channel);
        } catch (IOException | RuntimeException failure) {
            if (channel != null) {
                close(channel);
            }
            throw new FairleadException(
                    Reason.ADDRESS_UNAVAILABLE,
                    "cannot listen: address=" + address.getHostString() + ":" + address.getPort() + ", cause: "
                            + failure.getMessage() + "; choose another port or address",
                    failure);
        }
    }

    @Override
    public void ready(SelectionKey ready) {
        try {
            while (!closed && host.hasRoomForHandshake()) {
                SocketChannel peer = channel.accept();
                if (peer == null) {
                    return;
                }
                accept(peer);
            }
        } catch (IOException failure) {
            LOG.warn("accepting failed; address={}, cause: {}", address, failure.getMessage());
        }
        // Without room, or without descriptors, the kernel would report the same connection at once again.
        if (!closed) {
            key.interestOps(0);
            host.pauseAccepting();
        }
    }

    private void accept(SocketChannel peer) {
        try {
            SocketConnection.sendAtOnce(peer);
            InetSocketAddress source = (InetSocketAddress) peer.getRemoteAddress();
            String refusal = host.refusal(source.getAddress());
            host.addHandshake(new ServerHandshake(host, handler, peer, refusal));
        } catch (IOException | FairleadException failure) {
            LOG.warn("a handshake could not begin; cause: {}", failure.getMessage());
            SocketConnection.close(peer);
        }
    }

    /** Accepts again after a pause. */
    void resume() {
        if (!closed) {
            key.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        thread.check();
        if (!closed) {
            closed = true;
            close(channel);
            freePort();
            host.forget(this);
        }
    }

    /** A selector keeps a closed channel's descriptor, and so its port, until it selects the next time. */
    private void freePort() {
        try {
            host.selector().selectNow(_ -> {});
        } catch (IOException failure) {
            LOG.debug("freeing a listener's port failed", failure);
        }
    }

    private static void close(ServerSocketChannel channel) {
        try {
            channel.close();
        } catch (IOException failure) {
            LOG.debug("closing a listener failed", failure);
        }
    }
}
