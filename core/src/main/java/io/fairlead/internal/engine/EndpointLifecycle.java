package io.fairlead.internal.engine;

import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Path;
import io.fairlead.Status;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.control.ControlChannel;
import io.fairlead.internal.control.KeepAlive;
import io.fairlead.internal.events.EndpointConnectedEvent;
import io.fairlead.internal.events.EndpointLog;
import io.fairlead.internal.handshake.ConnectionParameters;
import io.fairlead.internal.liveness.HostAnswer;
import io.fairlead.internal.statistics.EndpointStatistics;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.LaneEndpoint;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.statistics.Counter;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The states of an endpoint from its handshake to its end, and the effects of each change.
 *
 * <p>A state changes at once, wherever the engine notices the cause. The effects (completing operations, closing the
 * transport's part, calling the handler) wait for {@link Connections}. The cause is often noticed deep inside the
 * transport that must be closed.
 */
final class EndpointLifecycle implements Resumption.Owner {
    private static final long MS = 1_000_000;

    private final CoreWorker worker;
    private final EndpointPeer peer;
    private final CoreEndpoint endpoint;
    private final CoreEndpointHost host;
    private final EndpointTransport transport;
    private final GuardedHandler handler;
    private final ControlChannel channel;
    private final KeepAlive keepAlive;
    private final EndpointLog log;
    /** The event of the handshake while it runs, if a recording wants it. */
    private @Nullable EndpointConnectedEvent handshake;

    private EndpointState state = EndpointState.CONNECTING;
    /** The state that the application sees: an end state only when everything has completed. */
    private EndpointState shown = EndpointState.CONNECTING;

    private @Nullable FairleadException failure;

    /** When this side tries to go back to lanes that were left; null before the first time, and at a connector. */
    private @Nullable FailbackSchedule failback;

    private boolean wasConnected;
    private boolean announced;
    private boolean tornDown;
    private boolean ended;

    EndpointLifecycle(CoreWorker worker, int id, InetSocketAddress remoteAddress, EndpointHandler handler) {
        this.worker = worker;
        this.peer = new EndpointPeer(id, remoteAddress);
        this.handler = new GuardedHandler(handler, peer);
        this.endpoint = new CoreEndpoint(worker, id, this, peer, this.handler);
        this.host = new CoreEndpointHost(worker, id, this, endpoint);
        this.transport = new EndpointTransport(worker, id, this, peer, this.handler.features());
        this.log = worker.log();
        this.handshake = log.beginHandshake();
        this.channel = new ControlChannel(host, host, worker.controlBuffer());
        this.keepAlive = new KeepAlive(channel, worker.hosts(), worker.settings(), worker.nowNs());
    }

    // Its parts, and accessors.

    int id() {
        return host.id();
    }

    CoreEndpoint endpoint() {
        return endpoint;
    }

    CoreEndpointHost host() {
        return host;
    }

    EndpointTransport transport() {
        return transport;
    }

    ControlChannel channel() {
        return channel;
    }

    KeepAlive keepAlive() {
        return keepAlive;
    }

    EndpointLog log() {
        return log;
    }

    EndpointState state() {
        return state;
    }

    /** The state that the application sees: {@code CLOSED} and {@code FAILED} from the handler's last call on. */
    EndpointState shownState() {
        return shown;
    }

    Optional<FairleadException> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public boolean isEnding() {
        return state == EndpointState.CLOSED || state == EndpointState.FAILED;
    }

    /** Whether the handler's last call has been made. */
    boolean isOver() {
        return ended;
    }

    // Connecting.

    /** Stores the result of the handshake, before any data can move. */
    void agree(ConnectionParameters agreed) {
        Settings settings = worker.settings();
        int eagerMax = Credits.eagerMax(
                settings.eagerMax(), settings.creditBytes(), agreed.peerEagerMax(), agreed.sendWindow());
        peer.agree(agreed, worker.shared());
        endpoint.useCredits(new Credits(eagerMax, agreed.sendWindow(), settings.creditBytes()));
        log.recordSelected(peer, agreed.path(), worker.offers().transports());
        if (transport.isConnector()) {
            log.logSelected(peer, agreed.path(), worker.offers().transports());
        }
    }

    /**
     * Both sides are ready: the endpoint accepts operations, and its handler's call is queued. Called once.
     *
     * @return false if the endpoint has failed instead, because the peer must no longer be connected
     */
    boolean connect() {
        if (state != EndpointState.CONNECTING) {
            return true;
        }
        // The last periodic check of all endpoints may be long ago.
        FairleadException expired = worker.connections().expiry(this, worker.nowNs());
        if (expired != null) {
            fail(expired);
            return false;
        }
        peer.useLanes(transport.lanes(), worker.shared());
        enter(EndpointState.CONNECTED);
        wasConnected = true;
        endpoint.open(transport.part());
        keepAlive.restart(worker.nowNs());
        worker.statistics().add(Counter.ENDPOINTS_CONNECTED, 1);
        peer.path().ifPresent(path -> {
            if (!transport.isConnector()) {
                log.logSelected(peer, path, worker.offers().transports());
            }
            log.logConnected(peer, path, handshake);
        });
        handshake = null;
        worker.connections().queueConnected(this);
        return true;
    }

    private void enter(EndpointState next) {
        EndpointStatistics statistics = endpoint.counters();
        state = next;
        endpoint.answerAs(next);
        switch (next) {
            case CONNECTING -> throw new IllegalArgumentException("no endpoint connects again");
            case CONNECTED -> peer.path().ifPresent(path -> statistics.markConnected(path, peer.identity()));
            case CLOSING -> statistics.markClosing();
            case CLOSED, FAILED -> statistics.markEnded();
        }
        if (!isEnding()) {
            shown = next;
        } else if (shown == EndpointState.CONNECTED) {
            shown = EndpointState.CLOSING;
        }
    }

    /** Whether it has ever been connected. */
    boolean wasConnected() {
        return wasConnected;
    }

    // The handler.

    /** Notifies the handler that the endpoint is connected. */
    void deliverConnected() {
        announced = true;
        if (handler.isReconnect(endpoint)) {
            worker.countReconnect();
        }
        handler.connected(endpoint, peer.features());
    }

    /** Whether the handler has been notified of the connection: before, no receive matches the endpoint's messages. */
    boolean isAnnounced() {
        return announced;
    }

    void deliverSignal(long value) {
        if (announced) {
            handler.signalled(endpoint, value);
        }
    }

    /** Adds the endpoint's counters to the worker's sums; false while they may still change. */
    boolean tryRetire() {
        if (endpoint.pending() > 0 || worker.receives().held().holdsMessagesOf(endpoint)) {
            return false;
        }
        endpoint.counters().foldCounters();
        return true;
    }

    /** Makes the handler's last call. */
    void deliverEnd() {
        ended = true;
        shown = state;
        if (failure != null) {
            handler.failed(endpoint, failure);
        } else {
            handler.closed(endpoint);
        }
        worker.active().drop(endpoint);
        // A remaining message references the endpoint, which must not reference the application's objects.
        handler.release();
    }

    // Credits and control frames.

    /** A message has left matching: its credits return to the sender. */
    void returnCredits(long length) {
        Credits credits = endpoint.credits();
        if (credits.addMatched(credits.cost(length))) {
            worker.connections().queueCredits(this);
        }
    }

    /** Credits that an active message has held return to the sender. */
    void returnCost(long cost) {
        if (endpoint.credits().addMatched(cost)) {
            worker.connections().queueCredits(this);
        }
    }

    /** Sends the peer its credits; false if that must be retried. */
    boolean tryReportCredits() {
        long due = endpoint.credits().due();
        if (due == 0 || transport.part() == null || tornDown) {
            return true;
        }
        try {
            if (!channel.credit(due)) {
                return false;
            }
        } catch (Throwable thrown) {
            failThrown(thrown);
            return true;
        }
        endpoint.credits().clearDue();
        return true;
    }

    /** Reads the buffered data of the control connection that the selector does not signal. */
    void readControl() {
        try {
            channel.read();
        } catch (Throwable thrown) {
            failThrown(thrown);
        }
    }

    /** The peer has matched this many more bytes. */
    void takeGrant(long bytes) {
        if (!endpoint.credits().tryTakeGrant(bytes)) {
            failViolation("credits that this side never spent: bytes=" + bytes);
        }
    }

    /** The peer has answered a ping. */
    void recordAnswer(long sequence) {
        long roundTripNs = keepAlive.recordAnswer(sequence);
        if (roundTripNs != KeepAlive.NONE) {
            endpoint.counters().recordRoundTrip(roundTripNs);
        }
    }

    void wakePeer() {
        // If the queue is full, the peer has unread data, and that wakes it too.
        boolean _ = !tornDown && channel.wake();
    }

    void sendRevoke(long regionId) {
        if (state == EndpointState.CONNECTED) {
            // Only a hint that saves the peer a futile operation: the owner refuses those in any case.
            channel.revoke(regionId);
        }
    }

    /** Makes the peer request again the regions whose rights were reduced. */
    void withdrawRegions() {
        if (state == EndpointState.CONNECTED || state == EndpointState.CLOSING) {
            FairleadException cause = host.reviewKeys();
            if (cause != null) {
                fail(cause);
            } else {
                reportWithdrawals();
            }
        }
    }

    /** Reports withdrawn regions; also called later, if the control channel was full. */
    void reportWithdrawals() {
        if (!tornDown) {
            host.reportWithdrawals();
        }
    }

    @Override
    public void resumed(String cause, long pauseNs, long repeated) {
        keepAlive.restart(worker.nowNs());
        log.logFailover(peer, cause, pauseNs, repeated);
    }

    /** The transport has left its lanes, and goes on over the control connection. */
    void leftLanes(String cause, long pauseNs, long replayed) {
        Path before = peer.leaveLanes(cause, worker.shared());
        Path after = peer.path().orElse(null);
        worker.statistics().add(Counter.FAILOVERS, 1);
        worker.statistics().add(Counter.FAILOVER_BYTES, replayed);
        if (before != null && after != null && state == EndpointState.CONNECTED) {
            endpoint.counters().changePath(after);
            log.logPathChanged(peer, before, after, cause, pauseNs, replayed);
        }
        if (!transport.isConnector()) {
            FailbackSchedule known = failback;
            if (known == null) {
                known = new FailbackSchedule(worker.settings().failbackNs());
                failback = known;
            }
            known.leave(worker.nowNs());
            worker.connections().noteAway();
        }
    }

    /** The transport is on lanes again. */
    void returnedToLanes(long pauseNs) {
        if (failback != null) {
            failback.comeBack(worker.nowNs());
        }
        Path before = peer.returnToLanes(transport.lanes(), worker.shared());
        Path after = peer.path().orElse(null);
        worker.statistics().add(Counter.FAILBACKS, 1);
        if (before != null && after != null && state == EndpointState.CONNECTED) {
            endpoint.counters().changePath(after);
            log.logPathChanged(peer, before, after, "the lanes work again", pauseNs, 0);
        }
    }

    /** An attempt to go back to the lanes has failed. */
    void stayedOffLanes(String why) {
        log.logStayedOffLanes(peer, why);
        if (failback != null) {
            failback.stay(worker.nowNs());
        }
    }

    /** Whether it is to try to go back to its lanes, at some time. */
    boolean isAwayFromLanes() {
        return failback != null && failback.isWaiting();
    }

    /** Has the transport try to go back to its lanes, if it is time. */
    void failBackIfDue(long nowNs) {
        FailbackSchedule known = failback;
        LaneEndpoint lanes = transport.lanesToLeave();
        if (known != null && lanes != null && state == EndpointState.CONNECTED && known.tryTake(nowNs)) {
            boolean begun;
            try {
                begun = lanes.tryReturnToLanes();
            } catch (Throwable thrown) {
                failThrown(thrown);
                return;
            }
            if (!begun) {
                known.stay(nowNs);
            }
        }
    }

    /** Probes an idle peer, and fails the endpoint when it stays idle. */
    void watchPeer(long nowNs, long gapNs) {
        if (state != EndpointState.CONNECTED && state != EndpointState.CLOSING) {
            return;
        }
        Resumption resumption = transport.resumption();
        if (resumption != null && resumption.isDown()) {
            keepAlive.restart(nowNs);
            return;
        }
        try {
            switch (keepAlive.look(nowNs, gapNs, transport.socket())) {
                case NOTHING -> {}
                case STALL_BEGAN -> {
                    log.logStalled(peer, keepAlive.stalledNs() / MS, hostText(), stallText());
                    if (resumption != null) {
                        resumption.suspect(true);
                    }
                }
                case STALL_ENDED -> {
                    if (resumption != null) {
                        resumption.suspect(false);
                    }
                    log.logResumed(peer, keepAlive.stalledNs());
                    keepAlive.forgetStall();
                }
                case HOST_LOST -> {
                    if (resumption != null) {
                        resumption.suspend("peer's host does not answer");
                        return;
                    }
                    failIdle(
                            Reason.PEER_LOST,
                            "peer's host does not answer",
                            "liveness.timeout=" + worker.settings().livenessNs() / MS + " ms");
                }
                case STALLED_TOO_LONG ->
                    failIdle(Reason.PEER_SILENT, "peer stands still", stallText() + ", " + hostText());
            }
        } catch (Throwable thrown) {
            failThrown(thrown);
        }
    }

    private void failIdle(Reason reason, String rule, String limit) {
        fail(new FairleadException(
                reason, rule + ": endpoint=" + peer.label() + ", silent=" + keepAlive.idleNs() / MS + " ms, " + limit));
    }

    private String stallText() {
        return "stall.timeout=" + worker.settings().stallNs() / MS + " ms";
    }

    private String hostText() {
        return keepAlive.hostAnswer() == HostAnswer.ANSWERS
                ? "its host answers"
                : "whether its host answers is not known";
    }

    // Failing.

    /** The endpoint has failed; the first cause counts. */
    @Override
    public void fail(FairleadException cause) {
        if (isEnding() || transport.isDisconnectFound()) {
            // If the peer has disconnected, the disconnect came first and closes the endpoint when the transport has
            // returned.
            return;
        }
        if (state == EndpointState.CLOSING && transport.isDisconnectSent()) {
            // The peer closed its end after our disconnect: a close ends that way.
            end(EndpointState.CLOSED, Status.CLOSED);
            return;
        }
        failure = cause;
        if (state == EndpointState.CONNECTING) {
            worker.statistics().countConnectFailure(cause.reason());
        } else {
            long idleNs = keepAlive.idleNs();
            worker.statistics().countPeerFailure(cause.reason(), idleNs);
            log.recordLost(peer, cause, idleNs);
        }
        end(EndpointState.FAILED, Status.PEER_FAILED);
        worker.statistics().add(Counter.ENDPOINTS_FAILED, 1);
        if (transport.isConnector() && !wasConnected) {
            log.logAttemptFailed(peer, cause);
        } else {
            log.logFailed(peer, cause, transport::mayWarn);
        }
    }

    /** The peer has broken a rule. */
    void failViolation(String rule) {
        fail(new FairleadException(Reason.PROTOCOL_VIOLATION, rule + ", endpoint=" + peer.label()));
    }

    /** The transport threw an unexpected exception: its state of this endpoint is unknown. */
    void failThrown(Throwable thrown) {
        if (thrown instanceof FairleadException known) {
            fail(known);
        } else if (!isEnding()) {
            fail(new FairleadException(
                    Reason.TRANSPORT,
                    "the transport threw: endpoint=" + peer.label() + ", transport=" + peer.transportName()
                            + ", cause: " + thrown,
                    thrown));
        }
    }

    // Closing.

    /** Starts a graceful close, or ends an endpoint that is not connected yet. */
    void beginClose(long deadlineNs) {
        if (state == EndpointState.CONNECTING) {
            abort();
        } else if (state == EndpointState.CONNECTED) {
            enter(EndpointState.CLOSING);
            endpoint.endPosts();
            transport.beginDisconnect(deadlineNs);
            log.logClosing(peer);
            worker.connections().queueClose(this);
        }
    }

    /** Advances a graceful close. */
    void advanceClose(long nowNs) {
        TransportEndpoint part = transport.part();
        try {
            if (state != EndpointState.CLOSING || part == null || !transport.tryFinish(part, nowNs)) {
                return;
            }
            if (transport.isDisconnectSent()) {
                transport.linger();
            }
        } catch (Throwable thrown) {
            failThrown(thrown);
            return;
        }
        end(EndpointState.CLOSED, Status.CLOSED);
    }

    /** The peer has closed the endpoint. */
    void closeByPeer() {
        if (!isEnding()) {
            if (transport.resumption() != null) {
                // The peer's connection lingers until it has this side's end.
                transport.linger();
            }
            end(EndpointState.CLOSED, Status.CLOSED);
        }
    }

    void abort() {
        if (!isEnding()) {
            shown = EndpointState.CLOSING;
            transport.hangUp();
            end(EndpointState.CLOSED, Status.CLOSED);
        }
    }

    private void end(EndpointState last, Status status) {
        enter(last);
        endpoint.setTerminalStatus(status);
        endpoint.endPosts();
        worker.connections().queueTearDown(this);
    }

    /**
     * Completes everything in flight and frees all resources, even if a part throws. Called once, at the worker's own
     * level.
     */
    void tearDown() {
        tornDown = true;
        try {
            CloseSteps.runAll(
                    keepAlive::end,
                    transport::cancel,
                    endpoint::endStall,
                    () -> worker.receives().withdraw(endpoint),
                    endpoint::endKeys,
                    transport::close,
                    () -> worker.receives().held().end(endpoint),
                    () -> worker.active().end(endpoint),
                    transport::release,
                    channel::close,
                    peer::end);
        } catch (Throwable thrown) {
            log.logCloseFailure(peer, thrown);
        }
        if (state == EndpointState.CLOSED) {
            worker.statistics().add(Counter.ENDPOINTS_CLOSED, 1);
            log.logClosed(peer);
        }
        endpoint.onSettled(() -> worker.connections().queueEnd(this));
    }
}
