package io.fairlead.node.internal.peer;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MessageInfo;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Status;
import io.fairlead.internal.log.LogScope;
import io.fairlead.node.BackPressure;
import io.fairlead.node.internal.context.ArrivedFrame;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.frame.NodeLayer;
import io.fairlead.node.internal.frame.RequestFrame;
import io.fairlead.node.internal.loop.LoopPeer;
import io.fairlead.node.internal.loop.NodeSettings;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.loop.Timers;
import io.fairlead.node.internal.receive.LoopReceives;
import io.fairlead.node.internal.request.PeerRequests;
import io.fairlead.node.internal.request.RequestLink;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop's side of a peer: its endpoint, the next one when that is lost, and the operations that wait for either. Belongs to the
 * loop's thread.
 *
 * <p>The worker calls the handler's methods inside its progress; they only record what happened. {@link #settle()} handles it when progress has
 * returned.
 */
public final class PeerLink implements NodeLayer, LoopPeer, RequestLink, ArrivedFrame.Connection {
    private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);

    private enum Phase {
        CONNECTING,
        CONNECTED,
        RECONNECTING,
        /** What was called before a close is still being posted. */
        DRAINING,
        /** The endpoint closes. */
        CLOSING,
        OVER
    }

    private final ProgressLoop loop;
    private final NodePeer peer;
    private final NodeSettings settings;
    private final LoopReceives receives;
    private PeerAddresses addresses;
    private final PathPolicy policy;
    private final ReconnectPolicy reconnect;
    /** Called when the first connection is made or has failed. */
    private final Consumer<Optional<FairleadException>> opened;

    private final PeerPosts posts;
    private final PeerRequests requests;
    private Phase phase = Phase.CONNECTING;
    private boolean everConnected;
    private boolean stalled;
    private @Nullable Endpoint endpoint;
    private Timers.@Nullable Timer timer;
    private int failedAttempts;
    private EndpointState ended = EndpointState.CLOSED;
    private @Nullable FairleadException cause;
    /** The protocol violation for which this side closes the connection. */
    private @Nullable FairleadException violation;

    PeerLink(
            NodePeers peers,
            NodePeer peer,
            InetSocketAddress address,
            PathPolicy policy,
            ReconnectPolicy reconnect,
            Consumer<Optional<FairleadException>> opened) {
        this.loop = peer.loop();
        this.peer = peer;
        this.settings = loop.group().settings();
        this.receives = peers.receives().on(loop);
        this.addresses = PeerAddresses.of(address);
        this.policy = policy;
        this.reconnect = reconnect;
        this.opened = opened;
        this.posts = new PeerPosts(peer);
        this.requests = new PeerRequests(peers.requests(), peer, loop, peer.byteLimit(), this);
    }

    NodePeer peer() {
        return peer;
    }

    PeerRequests requests() {
        return requests;
    }

    private boolean isIdle() {
        return posts.isEmpty() && requests.isIdle();
    }

    @Override
    public @Nullable Endpoint open() {
        return phase == Phase.CONNECTED || phase == Phase.DRAINING ? endpoint : null;
    }

    @Override
    public boolean isConnecting() {
        return phase == Phase.CONNECTING || phase == Phase.RECONNECTING;
    }

    @Override
    public Optional<FairleadException> cause() {
        if (cause == null && endpoint != null) {
            // The operations of a failed endpoint end before its handler is called.
            return endpoint.failure();
        }
        return Optional.ofNullable(cause);
    }

    // Connecting.

    /** Makes the first connection. */
    void connect() {
        loop.opened(this, false);
        if (loop.isStopping()) {
            over(EndpointState.CLOSED, Failures.nodeClosed());
            return;
        }
        attempt();
    }

    /** Has later attempts go to the members of a service. */
    public void follow(PeerAddresses members) {
        addresses = members;
        if (phase == Phase.OVER) {
            members.close();
        }
    }

    /** Takes a connection that a listener has accepted. It may count in the loop's load already. */
    public void accept(Endpoint accepted, int peerFeatures, boolean hasSlot) {
        loop.opened(this, hasSlot);
        endpoint = accepted;
        connected(accepted, peerFeatures);
    }

    private void attempt() {
        timer = null;
        try {
            endpoint = loop.worker().connect(addresses.next(), policy, this);
        } catch (FairleadException refused) {
            endpoint = null;
            ended = EndpointState.FAILED;
            cause = refused;
            loop.ended(this);
        }
    }

    @Override
    public Optional<Object> preface(MessageInfo message, Optional<Object> before) {
        return posts.carryContexts() ? receives.contexts().frame(this, message, before) : Optional.empty();
    }

    @Override
    public boolean isReconnect(Endpoint connection) {
        return everConnected && isCurrent(connection) && phase != Phase.OVER;
    }

    @Override
    public void connected(Endpoint connection, int peerFeatures) {
        if (!isCurrent(connection) || phase == Phase.OVER) {
            return;
        }
        posts.connected(peerFeatures);
        requests.connected(peerFeatures);
        loop.worker().registerLayer(RequestFrame.HANDLER, connection, requests);
        violation = null;
        boolean first = !everConnected;
        everConnected = true;
        phase = Phase.CONNECTED;
        failedAttempts = 0;
        cause = null;
        receives.peers().connected(connection, peer);
        peer.connected(connection);
        if (first) {
            opened.accept(Optional.empty());
        } else {
            try (LogScope _ = LogScope.of(connection)) {
                LOG.info("connected again to {}", peer);
            }
            loop.deliver(peer::reconnected);
        }
        if (!isIdle()) {
            stall();
        }
    }

    @Override
    public void signalled(Endpoint connection, long value) {
        loop.deliver(() -> peer.signalled(value));
    }

    @Override
    public void closed(Endpoint connection) {
        noteEnd(connection, EndpointState.CLOSED, null);
    }

    @Override
    public void failed(Endpoint connection, FairleadException failure) {
        noteEnd(connection, EndpointState.FAILED, failure);
    }

    /** Ends the connection, and says why. */
    @Override
    public void violated(Endpoint connection, FairleadException what) {
        if (!isCurrent(connection) || violation != null) {
            return;
        }
        violation = new FairleadException(
                what.reason(), what.getMessage() + "; peer=" + peer + ", its connection is closed");
        try (LogScope _ = LogScope.of(connection)) {
            LOG.warn("{}", violation.getMessage());
        }
        connection.abort();
    }

    private void noteEnd(Endpoint connection, EndpointState state, @Nullable FairleadException failure) {
        if (isCurrent(connection) && phase != Phase.OVER) {
            ended = violation == null ? state : EndpointState.FAILED;
            cause = violation == null ? failure : violation;
            loop.ended(this);
        }
    }

    /** Events of an abandoned attempt may still come. */
    @SuppressWarnings("ReferenceEquality")
    private boolean isCurrent(Endpoint connection) {
        return connection == endpoint;
    }

    @Override
    public void settle() {
        if (phase == Phase.OVER) {
            return;
        }
        Endpoint last = endpoint;
        endpoint = null;
        if (last != null) {
            receives.peers().disconnected(last);
        }
        boolean again = (phase == Phase.CONNECTED || phase == Phase.RECONNECTING)
                && !loop.isStopping()
                && reconnect.allows(ended, failedAttempts);
        if (!again) {
            over(ended, cause);
            return;
        }
        if (phase == Phase.CONNECTED) {
            phase = Phase.RECONNECTING;
            // The snapshot first, so that no callback of a failed operation sees a connected peer.
            peer.reconnecting(Optional.ofNullable(cause));
            failWaiting();
        }
        long pauseNs = reconnect
                .shortenedPause(failedAttempts, ThreadLocalRandom.current())
                .toNanos();
        if (last != null && failedAttempts == 0) {
            // Each attempt is an endpoint, which logs separate lines.
            try (LogScope _ = LogScope.of(last)) {
                LOG.info("reconnecting to {} in {} ms", peer, pauseNs / 1_000_000);
            }
        }
        failedAttempts++;
        timer = loop.timers().after(pauseNs, this::attempt, this::failThrown);
    }

    // Posting.

    /** Takes an operation, in the order of the calls. */
    public void accept(PeerOperation<?> operation) {
        switch (phase) {
            case CONNECTED, DRAINING -> {
                Endpoint connection = endpoint;
                if (connection == null) {
                    posts.leave(operation, endStatus());
                } else if (!posts.tryPost(operation, connection)) {
                    stall();
                }
            }
            case CONNECTING, RECONNECTING -> {
                if (settings.backPressure() == BackPressure.WAIT) {
                    posts.add(operation);
                } else {
                    posts.leave(operation, Status.NOT_CONNECTED);
                }
            }
            case CLOSING -> posts.leave(operation, Status.CLOSED);
            case OVER -> posts.leave(operation, endStatus());
        }
    }

    @Override
    public boolean retry() {
        Endpoint connection = endpoint;
        if ((phase == Phase.CONNECTED || phase == Phase.DRAINING) && connection != null && !retry(connection)) {
            return false;
        }
        stalled = false;
        if (phase == Phase.DRAINING) {
            closeEndpoint();
        }
        return true;
    }

    private boolean retry(Endpoint connection) {
        boolean sent = posts.retry(connection);
        return requests.retry(connection) && sent;
    }

    @Override
    public void stall() {
        if (!stalled) {
            stalled = true;
            loop.stalled(this);
        }
    }

    private Status endStatus() {
        return ended == EndpointState.FAILED ? Status.PEER_FAILED : Status.CLOSED;
    }

    /** Why a receive from this peer alone will never match. */
    @Nullable FairleadException receiveRefusal(long tag) {
        return phase == Phase.OVER ? receiveFailure(tag) : null;
    }

    private FairleadException receiveFailure(long tag) {
        return Failures.of("receive of tag " + tag, endStatus(), peer.toString(), cause());
    }

    private void failWaiting() {
        failBacklog();
        requests.disconnected();
        receives.failReceives(peer, receive -> receiveFailure(receive.tag));
    }

    @Override
    public void failBacklog() {
        posts.failAll(endStatus());
        requests.failBacklog();
    }

    // Ending.

    /** Closes gracefully, when what was called before is posted. */
    void close() {
        switch (phase) {
            case CONNECTING, RECONNECTING -> abort();
            case CONNECTED -> {
                peer.closing();
                phase = Phase.DRAINING;
                if (isIdle()) {
                    closeEndpoint();
                } else {
                    timer = loop.timers().after(settings.closeNs(), this::closeEndpoint, this::failThrown);
                }
            }
            case DRAINING, CLOSING, OVER -> {
                // Under way, or done.
            }
        }
    }

    private void closeEndpoint() {
        Endpoint connection = endpoint;
        if (phase != Phase.DRAINING || connection == null) {
            return;
        }
        stopTimer();
        phase = Phase.CLOSING;
        failBacklog();
        connection.startClose();
    }

    /** Closes at once. The peer sees a failure. */
    void abort() {
        if (phase == Phase.OVER) {
            return;
        }
        stopTimer();
        if (endpoint == null) {
            over(EndpointState.CLOSED, cause);
        } else {
            phase = Phase.CLOSING;
            endpoint.abort();
        }
    }

    /** Ends the peer at once, because its state is unknown. */
    @Override
    public void failThrown(Throwable thrown) {
        if (phase == Phase.OVER) {
            return;
        }
        FairleadException what = new FairleadException(
                Reason.TRANSPORT,
                "the node's work for a peer failed: peer=" + peer + ", cause: " + thrown + "; its connection is closed",
                thrown);
        LOG.warn("{}", what.getMessage(), thrown);
        Endpoint connection = endpoint;
        if (connection != null) {
            endpoint = null;
            receives.peers().disconnected(connection);
            connection.abort();
        }
        over(EndpointState.FAILED, what);
    }

    @Override
    public boolean leave() {
        return requests.leave();
    }

    @Override
    public void nodeCloses() {
        if (phase == Phase.CONNECTING || phase == Phase.RECONNECTING) {
            abort();
        }
    }

    @Override
    public void nodeEnded() {
        endpoint = null;
        over(EndpointState.CLOSED, cause);
    }

    private void over(EndpointState state, @Nullable FairleadException failure) {
        if (phase == Phase.OVER) {
            return;
        }
        stopTimer();
        phase = Phase.OVER;
        addresses.close();
        ended = state;
        cause = failure;
        peer.ended(state, Optional.ofNullable(failure));
        requests.over();
        failWaiting();
        loop.over(this);
        if (!everConnected) {
            opened.accept(Optional.of(failure == null ? Failures.nodeClosed() : failure));
        }
        loop.deliver(peer::notifyClosed);
        loop.deliveries().addInternal(peer::releaseClosers);
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
