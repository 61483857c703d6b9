package io.fairlead.netty;

import io.fairlead.ConnectionRequest;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Path;
import io.fairlead.PeerIdentity;
import io.fairlead.netty.FairleadIoHandler.FairleadHandle;
import io.fairlead.spi.CloseSteps;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.util.AttributeKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A byte stream between two event loops of {@link FairleadIoHandler}: one {@link Endpoint}, over the path that the policy chooses. Its peer is a channel
 * of this type, too. One side connects, and a {@link FairleadServerSocketChannel} accepts the other. Like every Netty channel it can be used on any thread.
 *
 * <p>It behaves like a TCP channel of Netty, with these differences. A connection is complete when the server's child channel is registered, and not when
 * the kernel has accepted it. Options of TCP have no effect. The local address of a connection cannot be chosen. A deregistered channel can be registered
 * with its own event loop only. With {@code SO_LINGER} of 0 a close aborts the endpoint, and the peer sees a connection reset. Otherwise the bytes sent
 * before a close are delivered.
 *
 * <p>A write completes when its buffer may be reused, which says nothing about the peer. When the peer has no capacity, writes wait in the channel and count
 * against its water marks. The bytes travel in messages of up to {@code endpoint.eager-max}. The peer's {@code endpoint.credit-bytes} therefore correspond to
 * the socket buffer of TCP.
 */
public final class FairleadSocketChannel extends AbstractChannel implements SocketChannel {
    /** The channel's path and why it was selected: an attribute that is set before the channel is active. */
    public static final AttributeKey<Path> PATH = AttributeKey.valueOf(FairleadSocketChannel.class, "PATH");

    /** The peer's authenticated identity: an attribute that is set before the channel is active. */
    public static final AttributeKey<PeerIdentity> PEER_IDENTITY =
            AttributeKey.valueOf(FairleadSocketChannel.class, "PEER_IDENTITY");

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final FairleadSocketChannelConfig config = new FairleadSocketChannelConfig(this, this::readCleared);
    private final LoopRegistration registration = new LoopRegistration(this::proceed);
    private final ChannelState state;
    private final StreamIn in;
    private final EndpointNotes notes;
    private final StreamOut out;
    private final Connecting connecting;
    private final Closing closing;
    private volatile @Nullable InetSocketAddress local;
    private volatile boolean open = true;
    private volatile boolean active;

    /** Creates a channel that connects. */
    public FairleadSocketChannel() {
        this(null, null);
    }

    FairleadSocketChannel(@Nullable FairleadServerSocketChannel parent, @Nullable ConnectionRequest accepted) {
        super(parent);
        this.state = new ChannelState(this, config, registration, accepted);
        this.in = new StreamIn(state);
        this.notes = new EndpointNotes(state, in);
        this.out = new StreamOut(state, notes);
        this.connecting = new Connecting(state, notes, in);
        this.closing = new Closing(state, in, out, promise -> own().shutdownOutput(promise));
    }

    /**
     * The channel's path, as in the attribute {@link #PATH}.
     *
     * @return empty until the channel is active
     */
    public Optional<Path> path() {
        return Optional.ofNullable(attr(PATH).get());
    }

    private void activate() {
        Endpoint connected = state.endpoint();
        LoopWorker current = state.loop();
        if (!open || closing.isPending() || connected == null || current == null) {
            return;
        }
        local = connected.localAddress().orElse(null);
        connected.path().ifPresent(attr(PATH)::set);
        attr(PEER_IDENTITY).set(connected.peerIdentity());
        out.connected(current.messageBytesMax());
        active = true;
        connecting.succeed();
    }

    private void readCleared() {
        in.unwantSoon();
    }

    private void proceed() {
        if (notes.takeConnected()) {
            activate();
        }
        out.settle();
        in.deliver(out.writes());
        own().finish();
    }

    // Called by Netty.

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ChannelUnsafe();
    }

    private ChannelUnsafe own() {
        return (ChannelUnsafe) unsafe();
    }

    /** The channel from the point of view of its pipeline and its event loop. */
    private final class ChannelUnsafe extends AbstractUnsafe implements FairleadHandle {
        @Override
        public void connect(SocketAddress to, @Nullable SocketAddress from, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                connecting.begin(to, from, promise);
            } catch (Throwable thrown) {
                promise.tryFailure(thrown);
                closeIfClosed();
            }
        }

        /** The last step of each turn. */
        void finish() {
            if (notes.isEnded() && open) {
                endpointEnded();
            }
            flush0();
            closing.proceed();
        }

        private void endpointEnded() {
            if (!active) {
                connecting.fail(notes.cause());
            } else if (in.isExhausted()) {
                close(voidPromise());
            } else if (out.isBroken() && !notes.isReadingRest()) {
                handleWriteError(new IOException(
                        "Broken pipe: the peer has closed the connection, or it has failed; peer="
                                + state.remoteAddress(),
                        notes.cause()));
            }
        }

        @Override
        protected void flush0() {
            // A child channel flushes once it is active; a flush by a listener of a promise waits until all promises
            // are completed.
            if (!out.isSettling() && (active || state.accepted() == null || !open)) {
                super.flush0();
            }
        }

        @Override
        protected @Nullable Executor prepareToClose() {
            return closing.prepare();
        }

        @Override
        public void closeNow() {
            close(voidPromise());
            closing.closeNow();
        }
    }

    /** Accepts every loop, because {@link #doRegister} refuses a wrong one with its cause. */
    @Override
    protected boolean isCompatible(EventLoop eventLoop) {
        return true;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        registration.register(this, own(), this::registered, promise);
    }

    private void registered() {
        ConnectionRequest request = state.accepted();
        LoopWorker current = state.loop();
        if (request != null && state.endpoint() == null && current != null) {
            connecting.accept(request, current);
        }
    }

    @Override
    protected void doDeregister() {
        registration.deregister();
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return active || state.accepted() != null ? state.remoteAddress() : null;
    }

    @Override
    protected void doBind(SocketAddress address) {
        Connecting.checkLocal(InetAddress.getLoopbackAddress(), address);
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        if (!open) {
            return;
        }
        open = false;
        active = false;
        CloseSteps.runAll(connecting::giveUp, in::close, out::close, this::endConnection);
    }

    private void endConnection() {
        Endpoint current = state.endpoint();
        ConnectionRequest request = state.accepted();
        if (current != null) {
            closing.endEndpoint(current);
        } else if (request != null) {
            request.reject(
                    Reason.REFUSED,
                    "the server closed the connection before an event loop took it: the loops of its child group are of another transport, or have been shut down");
        }
    }

    @Override
    protected void doShutdownOutput() {
        closing.endOutput();
    }

    @Override
    protected void doBeginRead() {
        in.want();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer written) throws Exception {
        out.write(written);
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        return StreamOut.checkMessage(message, alloc());
    }

    @Override
    public FairleadServerSocketChannel parent() {
        return (FairleadServerSocketChannel) super.parent();
    }

    @Override
    public SocketChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
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
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return active;
    }

    @Override
    public boolean isInputShutdown() {
        return in.isShutdown() || !isActive();
    }

    @Override
    public boolean isOutputShutdown() {
        return closing.isOutputEnded() || !isActive();
    }

    @Override
    public boolean isShutdown() {
        return (in.isShutdown() && closing.isOutputEnded()) || !isActive();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return closing.shutdownInput(promise);
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        return closing.shutdownOutput(promise);
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        return closing.shutdown(promise);
    }
}
