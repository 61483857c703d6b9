package io.fairlead.netty;

import io.fairlead.ConnectionRequest;
import io.fairlead.Endpoint;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** What the parts of a socket channel share: its options, its event loop and its endpoint. On the loop's thread, except for {@link #remoteAddress()}. */
final class ChannelState {
    private final SocketChannel channel;
    private final FairleadSocketChannelConfig options;
    private final LoopRegistration registration;
    /** The request that a server channel has accepted; null if this channel connects. */
    private final @Nullable ConnectionRequest accepted;

    private @Nullable Endpoint endpoint;
    private volatile @Nullable InetSocketAddress remoteAddress;

    ChannelState(
            SocketChannel channel,
            FairleadSocketChannelConfig options,
            LoopRegistration registration,
            @Nullable ConnectionRequest accepted) {
        this.channel = channel;
        this.options = options;
        this.registration = registration;
        this.accepted = accepted;
        this.remoteAddress = accepted == null ? null : accepted.remoteAddress();
    }

    SocketChannel channel() {
        return channel;
    }

    FairleadSocketChannelConfig options() {
        return options;
    }

    /** The request that a server channel has accepted; null if this channel connects. */
    @Nullable ConnectionRequest accepted() {
        return accepted;
    }

    /** The worker of the event loop; null before the first registration. */
    @Nullable LoopWorker loop() {
        return registration.loop();
    }

    /** Queues a turn of the channel, which the loop runs after the worker's progress. */
    void proceedSoon() {
        registration.proceedSoon();
    }

    /** Closes the channel when the sends under way have completed. */
    void closeSoon() {
        channel.unsafe().close(channel.voidPromise());
    }

    /** Sets the channel's endpoint, which never changes afterwards. */
    void use(Endpoint connecting, InetSocketAddress address) {
        endpoint = connecting;
        remoteAddress = address;
    }

    /** The channel's endpoint; null until the channel connects or its accepted connection is on its loop. */
    @Nullable Endpoint endpoint() {
        return endpoint;
    }

    /** The peer's address; null until the channel connects. On any thread. */
    @Nullable InetSocketAddress remoteAddress() {
        return remoteAddress;
    }
}
