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

/** How a channel connects, and whom it tells. On the loop's thread. */
final class Connecting {
    private final FairleadSocketChannel channel;
    private @Nullable ChannelPromise promise;
    private @Nullable Future<?> timeout;

    Connecting(FairleadSocketChannel channel) {
        this.channel = channel;
    }

    /** Begins to connect; the promise is told what came of it. */
    void begin(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise told) throws IOException {
        if (promise != null) {
            throw new ConnectionPendingException();
        }
        if (channel.endpoint() != null) {
            throw new AlreadyConnectedException();
        }
        InetSocketAddress address = checkRemote(remote);
        checkLocal(address.getAddress(), local);
        LoopWorker loop = Objects.requireNonNull(channel.loop(), "loop");
        Worker worker = loop.worker();
        PathPolicy policy = channel.options().pathPolicy();
        Endpoint endpoint;
        try {
            endpoint = policy == null
                    ? worker.connect(address, channel.notes())
                    : worker.connect(address, policy, channel.notes());
        } catch (FairleadException failure) {
            throw ConnectFailures.of(failure);
        }
        channel.use(loop, endpoint, address);
        promise = told;
        limit(address, told);
        told.addListener(future -> {
            if (future.isCancelled()) {
                stopTimer();
                promise = null;
                channel.closeSoon();
            }
        });
    }

    /** Takes what a server has accepted to the channel's own loop, where the handshake goes on. */
    Endpoint accept(ConnectionRequest request, LoopWorker loop) {
        try {
            return loop.worker().accept(request, channel.notes());
        } catch (IllegalArgumentException other) {
            request.reject(
                    Reason.REFUSED,
                    "the server's child group is of another context than its parent group; make both with one factory of FairleadIoHandler");
            throw new IllegalStateException(
                    "child channel is on an event loop of another context: channel=" + channel
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

    /** The operating system chooses where a connection comes from; an address that leaves that open is as good as none. */
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

    private void limit(InetSocketAddress address, ChannelPromise told) {
        int limitMs = channel.options().getConnectTimeoutMillis();
        if (limitMs > 0) {
            timeout = channel.eventLoop()
                    .schedule(
                            () -> {
                                if (told.tryFailure(new ConnectTimeoutException(
                                        "connection timed out after " + limitMs + " ms: " + address))) {
                                    channel.closeSoon();
                                }
                            },
                            limitMs,
                            TimeUnit.MILLISECONDS);
        }
    }

    /** The endpoint is connected, and the channel active. */
    void succeed() {
        ChannelPromise told = clear();
        // First, as it may close the channel, whose end the pipeline is to be told of after its beginning.
        boolean taken = told == null || told.trySuccess();
        channel.pipeline().fireChannelActive();
        if (!taken) {
            channel.closeSoon();
        }
    }

    /** The endpoint did not connect. */
    void fail(@Nullable FairleadException cause) {
        ChannelPromise told = clear();
        if (told != null) {
            told.tryFailure(cause == null ? new ClosedChannelException() : ConnectFailures.of(cause));
        }
        channel.closeSoon();
    }

    /** The channel is closed. */
    void giveUp() {
        ChannelPromise told = clear();
        if (told != null) {
            told.tryFailure(new ClosedChannelException());
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
        ChannelPromise told = promise;
        promise = null;
        return told;
    }
}
