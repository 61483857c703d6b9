package io.fairlead.netty;

import io.fairlead.ConnectionRequest;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.netty.FairleadIoHandler.FairleadHandle;
import io.fairlead.spi.CloseSteps;
import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannelConfig;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Accepts {@link FairleadSocketChannel}s at an address. Its child channels may be registered with any event loop of the same context: parent and child
 * groups are made with one factory of {@link FairleadIoHandler}. As a channel of Netty's it may be used on any thread.
 *
 * <p>A child is active when the handshake with its peer is over, which takes place on the child's own loop. Connections that are not accepted, because
 * the channel does not read, end after {@code connect.timeout}; {@code listener.pending-max} bounds them, and {@code SO_BACKLOG} has no effect.
 */
public final class FairleadServerSocketChannel extends AbstractServerChannel implements ServerSocketChannel {
    private final FairleadServerSocketChannelConfig config = new FairleadServerSocketChannelConfig(this);
    private final LoopPlace place = new LoopPlace(this::proceed);
    private final ArrayDeque<ConnectionRequest> requests = new ArrayDeque<>();
    private @Nullable Listener listener;
    private volatile @Nullable InetSocketAddress local;
    private volatile boolean open = true;
    private boolean wanted;

    /** A channel that is to be bound. */
    public FairleadServerSocketChannel() {
        // Everything begins with its registration.
    }

    void clearRead() {
        if (isRegistered() && !eventLoop().inEventLoop()) {
            eventLoop().execute(() -> wanted = false);
        } else {
            wanted = false;
        }
    }

    private void accepted(ConnectionRequest request) {
        requests.add(request);
        place.proceedSoon();
    }

    private void proceed() {
        if (!wanted || requests.isEmpty() || !open) {
            return;
        }
        ChannelPipeline pipeline = pipeline();
        ExtendedHandle handle = (ExtendedHandle) unsafe().recvBufAllocHandle();
        handle.reset(config);
        do {
            handle.incMessagesRead(1);
            wanted = false;
            pipeline.fireChannelRead(new FairleadSocketChannel(this, requests.remove()));
        } while (handle.continueReading() && !requests.isEmpty());
        handle.readComplete();
        pipeline.fireChannelReadComplete();
        if (wanted && !requests.isEmpty()) {
            place.proceedSoon();
        }
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ServerUnsafe();
    }

    /** Every loop is let through to {@link #doRegister}, which says what is wrong with one. */
    @Override
    protected boolean isCompatible(EventLoop eventLoop) {
        return true;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        place.register(this, (FairleadHandle) unsafe(), () -> {}, promise);
    }

    @Override
    protected void doDeregister() {
        place.deregister();
    }

    @Override
    protected void doBind(SocketAddress address) throws Exception {
        if (!(address instanceof InetSocketAddress wanted)) {
            throw new IllegalArgumentException(
                    "not an address of a host: localAddress=" + address + "; bind to an InetSocketAddress");
        }
        if (listener != null) {
            throw new AlreadyBoundException();
        }
        try {
            Listener made =
                    Objects.requireNonNull(place.loop(), "loop").worker().listen(wanted, this::accepted);
            listener = made;
            local = made.address();
        } catch (FairleadException failure) {
            throw ConnectFailures.ofBind(failure);
        }
    }

    @Override
    protected void doBeginRead() {
        wanted = true;
        if (!requests.isEmpty()) {
            place.proceedSoon();
        }
    }

    @Override
    protected void doClose() {
        open = false;
        Listener current = listener;
        CloseSteps.runAll(
                () -> {
                    if (current != null) {
                        current.close();
                    }
                },
                this::rejectRest);
    }

    private void rejectRest() {
        while (!requests.isEmpty()) {
            requests.remove().reject(Reason.REFUSED, "the server channel was closed before it took the connection");
        }
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return local;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    public ServerSocketChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open && local != null;
    }

    private final class ServerUnsafe extends AbstractUnsafe implements FairleadHandle {
        @Override
        public void connect(SocketAddress remote, SocketAddress from, ChannelPromise promise) {
            safeSetFailure(promise, new UnsupportedOperationException("a server channel does not connect"));
        }

        @Override
        public void closeNow() {
            close(voidPromise());
        }
    }
}
