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
 * Accepts {@link FairleadSocketChannel}s at an address. Its child channels can be registered with any event loop of the same context: make the parent and the
 * child group with one factory of {@link FairleadIoHandler}. Like every Netty channel it can be used on any thread.
 *
 * <p>A child is active when the handshake with its peer is complete. The handshake runs on the child's own loop. A connection ends after
 * {@code connect.timeout} if the channel does not read and so does not accept it. {@code listener.pending-max} bounds such connections, and
 * {@code SO_BACKLOG} has no effect.
 */
public final class FairleadServerSocketChannel extends AbstractServerChannel implements ServerSocketChannel {
    private final FairleadServerSocketChannelConfig config =
            new FairleadServerSocketChannelConfig(this, this::clearRead);
    private final LoopRegistration registration = new LoopRegistration(this::proceed);
    private final ArrayDeque<ConnectionRequest> requests = new ArrayDeque<>();
    private @Nullable Listener listener;
    private volatile @Nullable InetSocketAddress local;
    private volatile boolean open = true;
    private boolean wanted;

    /** Creates a channel to bind. */
    public FairleadServerSocketChannel() {
        // The registration with an event loop does the rest.
    }

    private void clearRead() {
        if (isRegistered() && !eventLoop().inEventLoop()) {
            eventLoop().execute(() -> wanted = false);
        } else {
            wanted = false;
        }
    }

    private void accepted(ConnectionRequest request) {
        requests.add(request);
        registration.proceedSoon();
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
            registration.proceedSoon();
        }
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ServerUnsafe();
    }

    /** Accepts every loop, because {@link #doRegister} refuses a wrong one with its cause. */
    @Override
    protected boolean isCompatible(EventLoop eventLoop) {
        return true;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        registration.register(this, (FairleadHandle) unsafe(), () -> {}, promise);
    }

    @Override
    protected void doDeregister() {
        registration.deregister();
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
                    Objects.requireNonNull(registration.loop(), "loop").worker().listen(wanted, this::accepted);
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
            registration.proceedSoon();
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
