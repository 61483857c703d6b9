package io.fairlead.internal.engine;

import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.internal.handshake.ServerHandshake;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.spi.Selectable;
import java.io.IOException;
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

    private final CoreWorker worker;
    private final EndpointHandler handler;
    private final ServerSocketChannel channel;
    private final SelectionKey key;
    private final InetSocketAddress address;
    private boolean closed;

    private CoreListener(CoreWorker worker, EndpointHandler handler, ServerSocketChannel channel) throws IOException {
        this.worker = worker;
        this.handler = handler;
        this.channel = channel;
        this.address = (InetSocketAddress) channel.getLocalAddress();
        this.key = channel.register(worker.selector(), SelectionKey.OP_ACCEPT, this);
    }

    static CoreListener open(CoreWorker worker, InetSocketAddress address, EndpointHandler handler) {
        if (address.isUnresolved()) {
            throw new FairleadException(
                    Reason.UNKNOWN_HOST,
                    "host does not resolve: host=" + address.getHostString() + "; check the name or use an address");
        }
        ServerSocketChannel channel = null;
        try {
            channel = ServerSocketChannel.open();
            channel.configureBlocking(false);
            channel.bind(address, BACKLOG);
            return new CoreListener(worker, handler, channel);
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
            while (!closed && worker.connections().roomForHandshake()) {
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
            worker.connections().pauseAccepting();
        }
    }

    private void accept(SocketChannel peer) {
        try {
            SocketConnection.sendAtOnce(peer);
            String shortage = worker.connections().shortage();
            worker.connections().started(new ServerHandshake(worker.connections(), handler, peer, shortage));
        } catch (IOException failure) {
            LOG.warn("a peer left before its handshake; cause: {}", failure.getMessage());
            new SocketConnection(peer).close();
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
        worker.checkThread();
        if (!closed) {
            closed = true;
            close(channel);
            freePort();
            worker.connections().forget(this);
        }
    }

    /** A selector keeps a closed channel's descriptor, and so its port, until it selects the next time. */
    private void freePort() {
        try {
            worker.selector().selectNow(_ -> {});
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
