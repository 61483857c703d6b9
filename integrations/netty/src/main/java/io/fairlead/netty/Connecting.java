package io.fairlead.netty;

import io.fairlead.ConnectionRequest;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathPolicy;
import io.fairlead.Worker;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Connects a channel, or continues a connection that a server channel has accepted. On the loop's thread. */
final class Connecting {
    private final ChannelState state;
    private final EndpointNotes notes;
    private final StreamIn in;
    private @Nullable ChannelPromise promise;
    private @Nullable Future<?> timeout;

    Connecting(ChannelState state, EndpointNotes notes, StreamIn in) {
        this.state = state;
        this.notes = notes;
        this.in = in;
    }

    /** Begins to connect, and completes the promise with the result later. */
    void begin(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise connected) throws IOException {
        if (promise != null) {
            throw new ConnectionPendingException();
        }
        if (state.endpoint() != null) {
            throw new AlreadyConnectedException();
        }
        InetSocketAddress address = checkRemote(remote);
        checkLocal(address.getAddress(), local);
        LoopWorker loop = Objects.requireNonNull(state.loop(), "loop");
        Worker worker = loop.worker();
        PathPolicy policy = state.options().pathPolicy();
        Endpoint endpoint;
        try {
            endpoint = policy == null ? worker.connect(address, notes) : worker.connect(address, policy, notes);
        } catch (FairleadException failure) {
            throw ConnectFailures.of(failure);
        }
        use(loop, endpoint, address);
        promise = connected;
        limit(address, connected);
        connected.addListener(future -> {
            if (future.isCancelled()) {
                stopTimer();
                promise = null;
                state.closeSoon();
            }
        });
    }

    private void use(LoopWorker loop, Endpoint endpoint, InetSocketAddress address) {
        state.use(endpoint, address);
        loop.streams().add(endpoint, in);
    }

    /** Moves an accepted connection to the channel's own loop, where its handshake continues. */
    void accept(ConnectionRequest request, LoopWorker loop) {
        try {
            use(loop, loop.worker().accept(request, notes), request.remoteAddress());
        } catch (IllegalArgumentException other) {
            request.reject(
                    Reason.REFUSED,
                    "the server's child group is of another context than its parent group; make both with one factory of FairleadIoHandler");
            throw new IllegalStateException(
                    "child channel is on an event loop of another context: channel=" + state.channel()
                            + "; make parent and child group with one factory of FairleadIoHandler",
                    other);
        }
    }

    private static InetSocketAddress checkRemote(SocketAddress remote) throws IOException {
        if (!(remote instanceof InetSocketAddress address)) {
            throw new IllegalArgumentException(
                    "not an address of a host: remoteAddress=" + remote + "; connect to an InetSocketAddress");
        }
        if (address.isUnresolved()) {
            throw new UnknownHostException("host name is not resolved: remoteAddress=" + address
                    + "; correct the name, or leave the resolver of the Bootstrap on");
        }
        return address;
    }

    /** Refuses a local address that chooses something, because the operating system chooses where a connection comes from. */
    static void checkLocal(InetAddress remote, @Nullable SocketAddress local) {
        if (local == null) {
            return;
        }
        InetAddress host = local instanceof InetSocketAddress address ? address.getAddress() : null;
        boolean free = host != null
                && ((InetSocketAddress) local).getPort() == 0
                && (host.isAnyLocalAddress() || (host.isLoopbackAddress() && remote.isLoopbackAddress()));
        if (!free) {
            throw new UnsupportedOperationException(
                    "a FairleadSocketChannel cannot choose where it connects from: localAddress=" + local
                            + "; leave it out, the operating system chooses it");
        }
    }

    private void limit(InetSocketAddress address, ChannelPromise connected) {
        int limitMs = state.options().getConnectTimeoutMillis();
        if (limitMs > 0) {
            timeout = state.channel()
                    .eventLoop()
                    .schedule(
                            () -> {
                                if (connected.tryFailure(new ConnectTimeoutException(
                                        "connection timed out after " + limitMs + " ms: " + address))) {
                                    state.closeSoon();
                                }
                            },
                            limitMs,
                            TimeUnit.MILLISECONDS);
        }
    }

    /** The endpoint is connected and the channel is active: notifies the promise and the pipeline. */
    void succeed() {
        ChannelPromise connected = clear();
        // Before the event, because a listener can close the channel, and the pipeline must see active before inactive.
        boolean succeeded = connected == null || connected.trySuccess();
        state.channel().pipeline().fireChannelActive();
        if (!succeeded) {
            state.closeSoon();
        }
    }

    /** The endpoint did not connect: fails the promise and closes the channel. */
    void fail(@Nullable FairleadException cause) {
        ChannelPromise connected = clear();
        if (connected != null) {
            connected.tryFailure(cause == null ? new ClosedChannelException() : ConnectFailures.of(cause));
        }
        state.closeSoon();
    }

    /** The channel is closed: fails the promise. */
    void giveUp() {
        ChannelPromise connected = clear();
        if (connected != null) {
            connected.tryFailure(new ClosedChannelException());
        }
    }

    private void stopTimer() {
        Future<?> limit = timeout;
        if (limit != null) {
            limit.cancel(false);
            timeout = null;
        }
    }

    private @Nullable ChannelPromise clear() {
        stopTimer();
        ChannelPromise cleared = promise;
        promise = null;
        return cleared;
    }
}
