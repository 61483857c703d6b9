package io.fairlead.internal.engine;

import io.fairlead.ConnectionRequestHandler;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.internal.handshake.Answer;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.internal.net.DescriptorShortage;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.internal.net.SpareDescriptor;
import io.fairlead.spi.Selectable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts connections while the worker has capacity for their handshakes; the others wait in the kernel's queue. */
final class CoreListener implements Listener, Selectable {
    private static final Logger LOG = LoggerFactory.getLogger(CoreListener.class);
    private static final int BACKLOG = 1024;

    /** The worker that a listener accepts connections for. */
    interface Host {
        Selector selector();

        boolean hasRoomForHandshake();

        /** Why a peer is refused regardless of what it sends; empty if it is not. */
        String refusal(InetAddress source);

        /** Schedules a call of {@link #resume} on all listeners. */
        void pauseAccepting();

        /** Begins the handshake of a peer. */
        void begin(SocketChannel peer, Answer answer);

        /** Queues the handler's call for a peer, whose handshake begins when it is accepted. */
        void request(
                InetSocketAddress listener,
                SocketChannel peer,
                InetSocketAddress source,
                ConnectionRequestHandler handler);

        /** The listener is closed. */
        void forget(CoreListener listener);
    }

    /** Decides about accepted peers. */
    private interface Taker {
        void take(SocketChannel peer, InetSocketAddress source);
    }

    private final WorkerThread thread;
    private final Host host;
    private final Taker taker;
    private final ServerSocketChannel channel;
    private final SelectionKey key;
    private final InetSocketAddress address;
    private final SpareDescriptor spare = new SpareDescriptor();
    /** The shortage of descriptors is logged, and no peer was accepted since. */
    private boolean shortageLogged;

    private boolean closed;

    private CoreListener(
            WorkerThread thread, Host host, Function<InetSocketAddress, Taker> taking, ServerSocketChannel channel)
            throws IOException {
        this.thread = thread;
        this.host = host;
        this.channel = channel;
        this.address = (InetSocketAddress) channel.getLocalAddress();
        this.taker = taking.apply(address);
        this.key = channel.register(host.selector(), SelectionKey.OP_ACCEPT, this);
        DescriptorShortage.prepare();
        spare.hold();
    }

    /** Opens a listener whose peers' handshakes run on its worker. */
    static CoreListener open(WorkerThread thread, Host host, InetSocketAddress address, EndpointHandler handler) {
        Answer answer = new Answer.Accept(handler);
        return bind(thread, host, address, _ -> (peer, _) -> host.begin(peer, answer));
    }

    /** Opens a listener whose handler chooses the worker of each peer's handshake. */
    static CoreListener open(
            WorkerThread thread, Host host, InetSocketAddress address, ConnectionRequestHandler handler) {
        return bind(thread, host, address, own -> (peer, source) -> host.request(own, peer, source, handler));
    }

    private static CoreListener bind(
            WorkerThread thread, Host host, InetSocketAddress address, Function<InetSocketAddress, Taker> taking) {
        ServerSocketChannel channel = null;
        try {
            channel = ServerSocketChannel.open();
            channel.configureBlocking(false);
            channel.bind(address, BACKLOG);
            return new CoreListener(thread, host, taking, channel);
        } catch (Error failure) {
            if (channel != null) {
                close(channel);
            }
            throw failure;
        } catch (IOException | RuntimeException failure) {
            if (channel != null) {
                close(channel);
            }
            throw refused(address, failure);
        }
    }

    /** The failure that the operating system reported for an attempt to listen. */
    static FairleadException refused(InetSocketAddress address, Exception failure) {
        String attempt = "cannot listen: address=" + address.getHostString() + ":" + address.getPort();
        String shortage = failure instanceof IOException cause ? DescriptorShortage.of(cause) : "";
        return shortage.isEmpty()
                ? new FairleadException(
                        Reason.ADDRESS_UNAVAILABLE,
                        attempt + ", cause: " + failure.getMessage() + "; choose another port or address",
                        failure)
                : new FairleadException(Reason.LIMIT_REACHED, attempt + ", " + shortage, failure);
    }

    @Override
    public void ready(SelectionKey ready) {
        try {
            while (!closed && host.hasRoomForHandshake()) {
                SocketChannel peer = acceptNext();
                if (peer == null) {
                    return;
                }
                accept(peer);
            }
        } catch (IOException failure) {
            logNotAccepted(failure);
        }
        // Without capacity or descriptors, the kernel would report the same connection again at once.
        if (!closed) {
            key.interestOps(0);
            host.pauseAccepting();
        }
    }

    /** The next peer; null if there is none. Uses the spare descriptor if no other is left. */
    private @Nullable SocketChannel acceptNext() throws IOException {
        spare.hold();
        try {
            SocketChannel peer = channel.accept();
            shortageLogged = false;
            return peer;
        } catch (IOException failure) {
            if (DescriptorShortage.of(failure).isEmpty() || !spare.tryRelease()) {
                throw failure;
            }
            return channel.accept();
        }
    }

    /** Logs a shortage once, not again for each peer that connects during it. */
    private void logNotAccepted(IOException failure) {
        String shortage = DescriptorShortage.of(failure);
        if (shortage.isEmpty()) {
            LOG.warn("accepting failed; address={}, cause: {}", address, failure.getMessage());
        } else if (!shortageLogged) {
            shortageLogged = true;
            LOG.warn("accepting failed; address={}, cause: {}", address, shortage);
        }
    }

    private void accept(SocketChannel peer) {
        try {
            SocketConnection.sendAtOnce(peer);
            InetSocketAddress source = (InetSocketAddress) peer.getRemoteAddress();
            String refusal = host.refusal(source.getAddress());
            if (refusal.isEmpty()) {
                taker.take(peer, source);
            } else {
                host.begin(peer, new Answer.RefuseAtOnce(refusal));
            }
        } catch (Throwable failure) {
            SocketConnection.close(peer);
            logNotBegun(failure);
        }
    }

    /** Logs a failure that is not the network's with its stack trace. */
    static void logNotBegun(Throwable failure) {
        if (failure instanceof IOException || failure instanceof FairleadException) {
            LOG.warn("a handshake could not begin; cause: {}", failure.getMessage());
        } else {
            Callbacks.logThrown(LOG, failure, "a handshake could not begin");
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
            boolean _ = spare.tryRelease();
            freePort();
            host.forget(this);
        }
    }

    /** A selector keeps a closed channel's descriptor, and so its port, until the next select. */
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
