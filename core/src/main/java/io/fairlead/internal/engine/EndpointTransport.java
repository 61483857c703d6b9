package io.fairlead.internal.engine;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.internal.access.Admission;
import io.fairlead.internal.handshake.ClientHandshake;
import io.fairlead.internal.handshake.ConnectionParameters;
import io.fairlead.internal.handshake.Handshake;
import io.fairlead.internal.handshake.HandshakeEndpoint;
import io.fairlead.internal.liveness.TurnGap;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.ControlCarrier;
import io.fairlead.spi.LaneEndpoint;
import io.fairlead.spi.Operation;
import io.fairlead.spi.ProgressingEndpoint;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WireUpEndpoint;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The transport's part of an endpoint, created by the handshake. It holds unreceived messages until the endpoint's end.
 */
final class EndpointTransport implements HandshakeEndpoint {
    /** Longer than it takes to read what a peer could send before it closed. */
    private static final long CATCH_UP_NS = 200_000_000L;

    /** So many turns in a row without an event; a transport does not look at everything in each. */
    private static final int CATCH_UP_TURNS = 256;

    private static final SecureRandom TOKENS = new SecureRandom();

    private final CoreWorker worker;
    private final int id;
    private final EndpointLifecycle lifecycle;
    private final EndpointPeer peer;
    private final int features;
    /** This side's half of the connection's token. */
    private final long token = TOKENS.nextLong();

    /** The handshake while it runs. */
    private @Nullable Handshake handshake;

    private boolean connector;
    /** Set for an endpoint that a listener has accepted. */
    private @Nullable Admission admission;

    private @Nullable TransportWorker transportWorker;
    private @Nullable TransportEndpoint transport;
    private @Nullable LingeringConnection connection;
    /** Whether the connection can be resumed, and how, once it is. */
    private boolean resumable;

    /** Whether this side's policy allows TCP, which lanes that fail are replaced by. */
    private boolean mayUseTcp;

    private @Nullable Resumption resumption;
    /** When connecting ends at the latest, and when this side's close does. */
    private long deadlineNs;

    private long closeDeadlineNs;

    /** This side's disconnect was sent. */
    private boolean disconnectSent;
    /** The transport is reporting a failure. */
    private boolean insideTransport;
    /** The peer's disconnect was found during the report. */
    private boolean disconnectFound;

    EndpointTransport(CoreWorker worker, int id, EndpointLifecycle lifecycle, EndpointPeer peer, int features) {
        this.worker = worker;
        this.id = id;
        this.lifecycle = lifecycle;
        this.peer = peer;
        this.features = features;
    }

    @Override
    public Endpoint endpoint() {
        return lifecycle.endpoint();
    }

    @Override
    public void start(Handshake running) {
        handshake = running;
        connector = running instanceof ClientHandshake;
    }

    /** Whether this side has connected, and not listened. */
    boolean isConnector() {
        return connector;
    }

    /** The transport's endpoint; null until it is created. */
    @Nullable TransportEndpoint part() {
        return transport;
    }

    /** The socket of the control channel; null until the handshake has ended. */
    @Nullable SocketChannel socket() {
        return connection == null ? null : connection.channel();
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public int features() {
        return features;
    }

    @Override
    public long ownToken() {
        return token;
    }

    @Override
    public void admit(Admission given) {
        admission = given;
    }

    /** Whether a listener has accepted it. */
    boolean isAdmitted() {
        return admission != null;
    }

    /**
     * Whether the log may have a warning. Unauthenticated peers of a listener must not control the number of warnings.
     */
    boolean mayWarn() {
        return connector || lifecycle.wasConnected() || worker.connections().mayLogRefusal();
    }

    @Override
    public void agree(ConnectionParameters agreed, TransportWorker chosen) {
        transportWorker = chosen;
        resumable = agreed.resumable();
        mayUseTcp = agreed.mayUseTcp();
        worker.activate(chosen);
        lifecycle.agree(agreed);
    }

    @Override
    public void attach(TransportWorker chosen, byte[] peerAddress, LingeringConnection taken) {
        connection = taken;
        TransportEndpoint attached = chosen.connect(lifecycle.host(), peerAddress, taken);
        transport = attached;
        if (chosen.takesConnection()) {
            if (resumption != null) {
                resumption.carryData();
            }
            lifecycle.channel().attach((ControlCarrier) attached);
        }
    }

    @Override
    public void detach() {
        TransportEndpoint abandoned = transport;
        transport = null;
        if (abandoned != null) {
            try {
                abandoned.close();
            } catch (RuntimeException | Error thrown) {
                lifecycle.log().logCloseFailure(peer, thrown);
            }
        }
    }

    @Override
    public byte[] wireUpData() {
        return transport instanceof WireUpEndpoint endpoint ? endpoint.wireUpData() : new byte[0];
    }

    @Override
    public void wireUp(byte[] data) {
        if (transport instanceof WireUpEndpoint endpoint) {
            endpoint.wireUp(data);
        }
    }

    @Override
    public void keepConnection(LingeringConnection kept) {
        handshake = null;
        connection = kept;
        lifecycle.channel().attach(kept, worker.selector());
    }

    @Override
    public void announce(LingeringConnection taken) {
        if (resumable && resumption == null) {
            resumption = worker.connections().failover().add(lifecycle, peer, connector, taken.channel());
        }
    }

    @Override
    public @Nullable LingeringConnection outlive(LingeringConnection taken) {
        announce(taken);
        Resumption announced = resumption;
        return announced == null || announced.isAdopted() ? null : announced.adopt(taken);
    }

    /** Whether the transport may leave its lanes for the control connection. */
    boolean mayLeaveLanes() {
        return resumable && mayUseTcp;
    }

    /** The transport's endpoint, if it may leave its lanes. */
    @Nullable LaneEndpoint lanesToLeave() {
        return mayLeaveLanes() && transport instanceof LaneEndpoint lanes ? lanes : null;
    }

    /** How the connection is resumed; null if it is not. */
    @Nullable Resumption resumption() {
        return resumption;
    }

    @Override
    public void giveUp() {
        handshake = null;
        lifecycle.abort();
    }

    @Override
    public void endHandshake(long untilNs) {
        handshake = null;
        settle(untilNs);
    }

    @Override
    public void settle(long untilNs) {
        deadlineNs = untilNs;
        if (transport instanceof WireUpEndpoint endpoint) {
            endpoint.begin();
        }
        // The deadline alone does not decide: after a stall of this worker the answer is read before the time is
        // extended.
        if (!trySettle(untilNs)) {
            worker.connections().awaitTransport(this);
        }
    }

    @Override
    public void fail(FairleadException cause) {
        lifecycle.fail(cause);
    }

    /** Extends the deadline: this worker was stalled for the given time, while the peer may have done its part. */
    void excuse(long gapNs) {
        deadlineNs += TurnGap.excusedNs(gapNs, worker.settings().connectNs());
    }

    /** Connects the endpoint if its transport is ready; true if it is, or need not be any more. */
    boolean trySettle(long nowNs) {
        TransportEndpoint made = transport;
        if (lifecycle.state() != EndpointState.CONNECTING || made == null) {
            reportReady();
            return true;
        }
        boolean ready;
        try {
            ready = made.isReady();
        } catch (Throwable thrown) {
            lifecycle.failThrown(thrown);
            return true;
        }
        if (ready) {
            boolean _ = lifecycle.connect();
            reportReady();
        } else if (nowNs - deadlineNs > 0) {
            lifecycle.fail(new FairleadException(
                    Reason.TIMED_OUT,
                    "connecting took too long: endpoint=" + peer.label() + ", transport=" + peer.transportName()
                            + " is not ready after connect.timeout="
                            + worker.settings().connectNs() / 1_000_000 + " ms"));
        } else {
            return false;
        }
        return true;
    }

    /** Reports to the pending handshake that this side is ready, which a message of the peer may have shown too. */
    private void reportReady() {
        if (handshake != null
                && (lifecycle.state() == EndpointState.CONNECTED || lifecycle.state() == EndpointState.CLOSING)) {
            handshake.transportReady();
        }
    }

    /** Whether the handshake goes on while the transport connects the endpoint. */
    boolean isSettling() {
        return handshake != null && transport != null && lifecycle.state() == EndpointState.CONNECTING;
    }

    /** The transport cannot connect the endpoint: returns whether another path is tried. */
    boolean tryNextPath(FairleadException cause) {
        return lifecycle.state() == EndpointState.CONNECTING && handshake != null && handshake.tryNextPath(cause);
    }

    /** The lanes in use, if the transport reports them. */
    List<String> lanes() {
        return transport == null ? List.of() : transport.lanes();
    }

    /**
     * Processes what the data path has received already. It is bounded, so a peer that sends continuously cannot occupy
     * this worker.
     */
    private void catchUp() {
        TransportWorker mine = transportWorker;
        TransportEndpoint made = transport;
        long startNs = System.nanoTime();
        int idle = 0;
        while (mine != null && made != null && idle < CATCH_UP_TURNS && System.nanoTime() - startNs < CATCH_UP_NS) {
            idle = mine.progress() + (made instanceof ProgressingEndpoint own ? own.progress() : 0) == 0 ? idle + 1 : 0;
        }
    }

    // Disconnects. A peer closes its data path right after its disconnect message, so the transport may report a
    // failure while that message is unread; this distinguishes a close from a loss.

    /** This side's close begins. */
    void beginDisconnect(long untilNs) {
        closeDeadlineNs = untilNs;
    }

    /** Whether this side's disconnect was sent. */
    boolean isDisconnectSent() {
        return disconnectSent;
    }

    /**
     * Advances this side's close: it waits until all data is sent, sends the disconnect, and is done when the kernel
     * has it, or at the deadline.
     *
     * @return true when it is done
     */
    boolean tryFinish(TransportEndpoint made, long nowNs) {
        boolean late = nowNs - closeDeadlineNs >= 0;
        boolean hadTurn = disconnectSent;
        if (!disconnectSent && (late || (!lifecycle.endpoint().isBusy() && made.isDrained()))) {
            disconnectSent = lifecycle.channel().disconnect();
        }
        boolean said = disconnectSent && made.isDrained() && lifecycle.channel().isDrained();
        if (late && disconnectSent && !hadTurn && !said) {
            // The transport's next turn writes it, if the connection is writable.
            return false;
        }
        return late || said;
    }

    /** Whether the peer has disconnected, and the endpoint closes as soon as its transport has returned. */
    boolean isDisconnectFound() {
        return disconnectFound;
    }

    /** The peer's disconnect has arrived. */
    void disconnected() {
        if (lifecycle.isEnding()) {
            return;
        }
        if (insideTransport) {
            // Its progress is not reentrant.
            disconnectFound = true;
        } else {
            closeEndpoint();
        }
    }

    /** The transport has reported the peer's failure. */
    @SuppressWarnings("ReferenceEquality") // A part is one object.
    void reportFailure(FairleadException cause) {
        if (isSettling()) {
            // The transport must return before its part can be closed and another one created.
            TransportEndpoint failing = transport;
            worker.connections().queueVerdict(() -> {
                if (transport == failing && !tryNextPath(cause)) {
                    lifecycle.fail(cause);
                }
            });
            return;
        }
        if (!lifecycle.channel().isSeparate() || lifecycle.isEnding()) {
            lifecycle.fail(cause);
            return;
        }
        insideTransport = true;
        lifecycle.readControl();
        insideTransport = false;
        if (!lifecycle.isEnding()) {
            // Operations that the transport ends until the teardown end for this reason.
            lifecycle.endpoint().setTerminalStatus(disconnectFound ? Status.CLOSED : Status.PEER_FAILED);
            worker.connections().queueVerdict(() -> judge(cause));
        }
    }

    /** The transport has returned. If a disconnect has arrived by now, the failure is a close. */
    private void judge(FairleadException cause) {
        if (!lifecycle.isEnding() && !disconnectFound) {
            lifecycle.readControl();
        }
        if (!lifecycle.isEnding()) {
            if (disconnectFound) {
                closeEndpoint();
            } else {
                lifecycle.fail(cause);
            }
        }
    }

    /** The control connection has ended without a disconnect. */
    void connectionLost(FairleadException cause) {
        if (!insideTransport && !lifecycle.isEnding() && lifecycle.channel().isSeparate()) {
            tryCatchUp();
        }
        lifecycle.fail(cause);
    }

    /** The control connection is not the data path; data that the peer sent before its end has arrived already. */
    private void tryCatchUp() {
        try {
            catchUp();
        } catch (Throwable thrown) {
            // The peer has gone anyway; a later exception of its data path must not affect other endpoints.
            lifecycle.failThrown(thrown);
        }
    }

    private void closeEndpoint() {
        if (lifecycle.channel().isSeparate()) {
            tryCatchUp();
            // The peer may have connected and closed between two turns of this side.
            trySettle(worker.nowNs());
        }
        lifecycle.closeByPeer();
    }

    /** Data in the kernel survives only if the socket is not closed with unread bytes. */
    void linger() {
        if (connection != null) {
            connection.lingerAt(worker.connections()::linger);
        }
    }

    // Messages that the transport holds, also after the endpoint's end.

    /** Delivers a kept message to its receive. Also after the end, for complete messages. */
    void deliver(CoreArrival arrival) {
        MemorySegment kept = arrival.kept;
        if (kept == null) {
            holder().deliver(arrival);
            return;
        }
        Operation receive = Objects.requireNonNull(arrival.operation, "operation");
        MemorySegment.copy(kept, 0, receive.buffer(), receive.offset(), Math.min(kept.byteSize(), receive.length()));
        receive.complete(Status.OK, kept.byteSize());
    }

    /**
     * After the end: takes a message from the transport if it is complete. The transport's resources of other messages
     * are freed, and the transport keeps nothing.
     */
    boolean tryKeep(CoreArrival arrival) {
        if (!arrival.whole) {
            arrival.whole = holder().keep(arrival);
        }
        if (!arrival.whole) {
            discard(arrival);
            return false;
        }
        Takeover takeover = Takeover.tryOf(arrival.length);
        if (takeover == null) {
            arrival.whole = false;
            discard(arrival);
            return false;
        }
        arrival.operation = takeover;
        holder().deliver(arrival);
        arrival.operation = null;
        arrival.attachment = null;
        arrival.word = 0;
        arrival.kept = takeover.buffer();
        arrival.whole = takeover.isDone();
        return arrival.whole;
    }

    /** Drops a kept message. */
    void discard(CoreArrival arrival) {
        if (arrival.kept == null) {
            holder().discard(arrival);
        }
    }

    /** The endpoint is torn down: its remaining messages keep no resource of the transport. */
    void release() {
        transport = null;
        transportWorker = null;
        connection = null;
    }

    private TransportEndpoint holder() {
        TransportEndpoint holding = transport;
        if (holding == null) {
            throw new IllegalStateException("endpoint has no transport: endpoint=" + peer.label());
        }
        return holding;
    }

    /** Closes the transport's endpoint, if there is one. */
    void close() {
        if (transport != null) {
            transport.close();
        }
    }

    /** Cancels a pending handshake, and releases the peer's admission. */
    void cancel() {
        CloseSteps.runAll(
                () -> {
                    if (admission != null) {
                        admission.close();
                    }
                },
                lifecycle.host()::endRegions,
                this::hangUp,
                () -> {
                    if (resumption != null) {
                        resumption.withdraw();
                    }
                });
    }

    /** Cancels a pending handshake, which could continue before the endpoint is torn down. */
    void hangUp() {
        Handshake running = handshake;
        if (running != null) {
            handshake = null;
            running.cancel();
        }
    }
}
