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
 * of this type or one that a {@link FairleadServerSocketChannel} has accepted. As a channel of Netty's it may be used on any thread.
 *
 * <p>It behaves as a TCP channel of Netty's does, but for these: a connection is complete when the server's child channel is registered, and not when
 * the kernel has accepted it; options of TCP have no effect; the address to connect from cannot be chosen; a deregistered channel can be registered with
 * its own event loop only. {@code SO_LINGER} of 0 closes without a goodbye, so that the peer sees the connection reset. Otherwise what was sent before a close is delivered.
 *
 * <p>A write completes when its buffer may be reused, which says nothing about the peer. Writes that the peer has no room for wait in the channel and count
 * against its water marks. Messages of up to {@code endpoint.eager-max} carry them, so that the peer's {@code endpoint.credit-bytes} are what a socket's
 * buffer is to TCP.
 */
public final class FairleadSocketChannel extends AbstractChannel implements SocketChannel {
    /** The path that the channel's bytes take, and its reason: an attribute of the channel from before it is active. */
    public static final AttributeKey<Path> PATH = AttributeKey.valueOf(FairleadSocketChannel.class, "PATH");

    /** Who the peer has proved to be: an attribute of the channel from before it is active. */
    public static final AttributeKey<PeerIdentity> PEER_IDENTITY =
            AttributeKey.valueOf(FairleadSocketChannel.class, "PEER_IDENTITY");

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final FairleadSocketChannelConfig config = new FairleadSocketChannelConfig(this);
    private final LoopPlace place = new LoopPlace(this::proceed);
    private final StreamIn in = new StreamIn(this);
    private final StreamOut out = new StreamOut(this);
    private long writes;
    private final EndpointNotes notes = new EndpointNotes(this);
    private final Connecting connecting = new Connecting(this);
    private final Closing closing = new Closing(this);
    private final Directions directions = new Directions(this, promise -> own().closeOutput(promise));
    /** What a server has accepted; null if this channel connects. */
    private final @Nullable ConnectionRequest accepted;

    private @Nullable Endpoint endpoint;
    private volatile @Nullable InetSocketAddress remote;
    private volatile @Nullable InetSocketAddress local;
    private volatile boolean open = true;
    private volatile boolean active;

    /** A channel that will connect. */
    public FairleadSocketChannel() {
        this(null, null);
    }

    FairleadSocketChannel(@Nullable FairleadServerSocketChannel parent, @Nullable ConnectionRequest accepted) {
        super(parent);
        this.accepted = accepted;
        this.remote = accepted == null ? null : accepted.remoteAddress();
    }

    /**
     * The path that the channel's bytes take, as the attribute {@link #PATH}.
     *
     * @return empty until the channel is active
     */
    public Optional<Path> path() {
        return Optional.ofNullable(attr(PATH).get());
    }

    // What the parts of this channel ask.

    FairleadSocketChannelConfig options() {
        return config;
    }

    StreamIn in() {
        return in;
    }

    StreamOut out() {
        return out;
    }

    @Nullable LoopWorker loop() {
        return place.loop();
    }

    @Nullable Endpoint endpoint() {
        return endpoint;
    }

    /** Whether a server channel has accepted it. */
    boolean isAccepted() {
        return accepted != null;
    }

    /** Whether an endpoint is this channel's. */
    @SuppressWarnings("ReferenceEquality") // A channel has one endpoint.
    boolean isOf(Endpoint other) {
        return endpoint == other;
    }

    /** Whether the pipeline reads what came before the end. A write that finds the peer gone waits until then, because its failure closes the channel. */
    boolean isReadingRest() {
        return notes.isEnded() && in.isReading();
    }

    /** Has the loop call {@link #proceed} after the worker's progress. */
    void proceedSoon() {
        place.proceedSoon();
    }

    /** From now on what arrives is discarded. */
    void endInput() {
        directions.endInput();
    }

    /** Closes, when what is under way has been sent. */
    void closeSoon() {
        unsafe().close(voidPromise());
    }

    /** From now on the endpoint is this channel's. */
    void use(LoopWorker current, Endpoint connecting, InetSocketAddress address) {
        endpoint = connecting;
        remote = address;
        current.add(connecting, this);
    }

    private void activate() {
        Endpoint connected = endpoint;
        LoopWorker current = loop();
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

    EndpointNotes notes() {
        return notes;
    }

    private void proceed() {
        if (notes.takeConnected()) {
            activate();
        }
        out.settle();
        in.deliver();
        own().finish();
    }

    // What Netty asks.

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ChannelUnsafe();
    }

    private ChannelUnsafe own() {
        return (ChannelUnsafe) unsafe();
    }

    /** The channel, as its pipeline and its event loop call it. */
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

        /** After each turn in which the endpoint told something. */
        void finish() {
            if (notes.isEnded() && open) {
                endpointEnded();
            }
            flush0();
            closing.proceed(this::shutdownOutput);
        }

        private void endpointEnded() {
            if (!active) {
                connecting.fail(notes.cause());
            } else if (in.isExhausted()) {
                close(voidPromise());
            } else if (out.isBroken() && !isReadingRest()) {
                handleWriteError(new IOException(
                        "Broken pipe: the peer has closed the connection, or it has failed; peer=" + remote,
                        notes.cause()));
            }
        }

        void closeOutput(ChannelPromise promise) {
            closing.closeOutput(promise, this::shutdownOutput);
        }

        @Override
        protected void flush0() {
            // A child that connects flushes when it is active; a promise that is being told flushes when all are.
            if (!out.isSettling() && (active || accepted == null || !open)) {
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

    /** Every loop is let through to {@link #doRegister}, which says what is wrong with one. */
    @Override
    protected boolean isCompatible(EventLoop eventLoop) {
        return true;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        place.register(this, own(), this::registered, promise);
    }

    private void registered() {
        ConnectionRequest request = accepted;
        LoopWorker current = loop();
        if (request != null && endpoint == null && current != null) {
            use(current, connecting.accept(request, current), request.remoteAddress());
        }
    }

    @Override
    protected void doDeregister() {
        place.deregister();
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return active || accepted != null ? remote : null;
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
        Endpoint current = endpoint;
        if (current != null) {
            closing.endEndpoint(current);
        } else if (accepted != null) {
            accepted.reject(
                    Reason.REFUSED,
                    "the server closed the connection before an event loop took it: the loops of its child group are of another transport, or have been shut down");
        }
    }

    @Override
    protected void doShutdownOutput() {
        directions.endOutput();
    }

    @Override
    protected void doBeginRead() {
        in.want();
    }

    /** How often the pipeline has flushed something. */
    long writes() {
        return writes;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer written) throws Exception {
        writes++;
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
        return directions.isInputEnded() || !isActive();
    }

    @Override
    public boolean isOutputShutdown() {
        return directions.isOutputEnded() || !isActive();
    }

    @Override
    public boolean isShutdown() {
        return (directions.isInputEnded() && directions.isOutputEnded()) || !isActive();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return directions.shutdownInput(promise);
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        return directions.shutdownOutput(promise);
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        return directions.shutdown(promise);
    }
}
