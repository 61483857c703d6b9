package io.fairlead.internal.engine;

import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Path;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.internal.control.ControlChannel;
import io.fairlead.internal.control.ControlUser;
import io.fairlead.internal.control.PeerWatch;
import io.fairlead.internal.events.EndpointLog;
import io.fairlead.internal.events.EndpointSubject;
import io.fairlead.internal.handshake.Agreement;
import io.fairlead.internal.handshake.ClientHandshake;
import io.fairlead.internal.handshake.Handshake;
import io.fairlead.internal.handshake.HandshakeEndpoint;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.memory.CoreRegion;
import io.fairlead.internal.memory.EndpointKeys;
import io.fairlead.internal.memory.KeySecret;
import io.fairlead.internal.memory.KeyUser;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.ConnectionToken;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LocalRegion;
import io.fairlead.spi.Operation;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.TransportWorker;
import io.fairlead.statistics.Counter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint from its handshake to its end, as the worker and the transport see it.
 *
 * <p>A state changes at once, wherever in the engine the cause is noticed; what follows from it (completing operations, closing
 * the transport's part, telling the handler) waits for {@link CoreWorker} to come round, because the cause is often
 * noticed deep inside the transport that has to be closed.
 */
final class EndpointLife implements EndpointHost, HandshakeEndpoint, ControlUser, EndpointSubject, KeyUser {
    private static final VarHandle PENDING;
    private static final SecureRandom TOKENS = new SecureRandom();

    static {
        try {
            PENDING = MethodHandles.lookup().findVarHandle(EndpointLife.class, "pending", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CoreWorker worker;
    private final int id;
    private final InetSocketAddress remoteAddress;
    private final GuardedHandler handler;
    private final CoreEndpoint endpoint;
    private final EndpointKeys keys = new EndpointKeys(this);
    private final ControlChannel channel;
    private final EndpointLog log;
    /** This side's half of the connection's token. */
    private final long token = TOKENS.nextLong();

    private EndpointState state = EndpointState.CONNECTING;
    private Status terminalStatus = Status.CANCELLED;
    private @Nullable FairleadException failure;
    private @Nullable Path path;
    /** The number of the transport in the statistics; 0 until one is chosen. */
    private int transportNumber;
    /** Where the statistics of its operations begin. */
    private int figures;
    /** What the handshake has settled. */
    private @Nullable Agreement agreement;

    private int eagerMax;
    private Credits credits = new Credits(0, 0, 0);
    private final PeerWatch watch;

    /** Null until connected, and again from the moment that the endpoint takes no more operations. */
    private @Nullable TransportEndpoint open;

    private @Nullable TransportEndpoint transport;
    private @Nullable SocketConnection connection;
    private @Nullable TransportWorker transportWorker;
    /** The handshake while it runs. */
    private @Nullable Handshake handshake;

    private boolean connector;
    private boolean announced;
    private boolean tornDown;
    private boolean over;
    private boolean goodbyeSent;
    /** The transport reports a failure. */
    private boolean insideTransport;
    /** The peer's goodbye was found then. */
    private boolean peerLeft;

    private long connectDeadlineNs;
    private long closeDeadlineNs;
    /** Operations whose completions have not run. */
    private int pending;
    /** Of those, the ones that a graceful close waits for. */
    private int outgoing;

    EndpointLife(CoreWorker worker, int id, InetSocketAddress remoteAddress, EndpointHandler handler) {
        this.worker = worker;
        this.id = id;
        this.remoteAddress = remoteAddress;
        this.handler = new GuardedHandler(handler, this);
        this.log = new EndpointLog(this, worker.settings().name());
        this.endpoint = new CoreEndpoint(worker, this);
        this.channel = new ControlChannel(this, new PeerWords(this), worker.controlBuffer());
        this.watch = new PeerWatch(channel, worker.settings().livenessNs(), worker.nowNs());
        worker.counterSet().entered(transportNumber, state);
        figures = worker.counterSet().layout().operations(transportNumber);
    }

    CoreEndpoint endpoint() {
        return endpoint;
    }

    void handshake(Handshake running) {
        handshake = running;
        connector = running instanceof ClientHandshake;
    }

    /** What the handshake has settled, before any data can move. */
    @Override
    public void agree(Agreement agreement, TransportWorker transportWorker) {
        this.agreement = agreement;
        path = agreement.path();
        int receiveWindow = worker.settings().creditBytes();
        eagerMax = Credits.eagerMax(
                worker.settings().eagerMax(), receiveWindow, agreement.peerEagerMax(), agreement.sendWindow());
        credits = new Credits(eagerMax, agreement.sendWindow(), receiveWindow);
        this.transportWorker = transportWorker;
        worker.activate(transportWorker);
        log.selected(agreement.path(), worker.introductions().transports());
    }

    /** Makes the transport's part. The control connection goes to the transport, or to a link of the core. */
    @Override
    public void attach(TransportWorker transportWorker, byte[] peerAddress, SocketConnection connection) {
        this.connection = connection;
        TransportEndpoint attached = transportWorker.connect(this, peerAddress, connection);
        transport = attached;
        if (transportWorker.takesConnection()) {
            channel.over(attached);
        }
    }

    /** What the transport's part says to the peer's in the handshake. */
    @Override
    public byte[] introduction() {
        return transport == null ? new byte[0] : transport.introduction();
    }

    /** What the peer's said to this side's. */
    @Override
    public void meet(byte[] introduction) {
        if (transport != null) {
            transport.meet(introduction);
        }
    }

    /** This side's half of the connection's token. */
    @Override
    public long ownToken() {
        return token;
    }

    /** The control connection stays with the core. */
    @Override
    public void link(SocketConnection connection) {
        this.connection = connection;
        channel.over(connection, worker.selector());
    }

    /** The handshake is over; the endpoint is connected as soon as its transport is ready. */
    @Override
    public void greeted(long deadlineNs) {
        handshake = null;
        connectDeadlineNs = deadlineNs;
        if (transport != null) {
            transport.begin();
        }
        if (!settles(worker.nowNs())) {
            worker.connections().greeted(this);
        }
    }

    /** This worker stood still while the peer may have done its part. */
    void excuse(long excusedNs) {
        connectDeadlineNs += excusedNs;
    }

    /** Whether the transport is ready, or need not be any more. */
    boolean settles(long nowNs) {
        TransportEndpoint made = transport;
        if (state != EndpointState.CONNECTING || made == null) {
            return true;
        }
        if (made.ready()) {
            connected();
        } else if (nowNs - connectDeadlineNs > 0) {
            fail(new FairleadException(
                    Reason.TIMED_OUT,
                    "connecting took too long: endpoint=" + label() + ", transport=" + transportName()
                            + " is not ready after connect.timeout="
                            + worker.settings().connectNs() / 1_000_000 + " ms"));
        } else {
            return false;
        }
        return true;
    }

    /** Both sides are ready: the endpoint takes operations, and its handler will be told. */
    private void connected() {
        if (state != EndpointState.CONNECTING) {
            return;
        }
        nameLanes();
        become(EndpointState.CONNECTED);
        open = transport;
        watch.connected(worker.nowNs());
        worker.counterSet().add(Counter.ENDPOINTS_CONNECTED, 1);
        if (path != null) {
            log.connected(path);
        }
        worker.connections().announce(this);
    }

    /** The path that was chosen names what may be used; by now it may be known what is. */
    private void nameLanes() {
        Path chosen = path;
        List<String> lanes = transport == null ? List.of() : transport.lanes();
        if (chosen != null && !lanes.isEmpty()) {
            path = new Path(
                    chosen.transport(), chosen.pathClass(), chosen.device(), lanes, chosen.cause(), chosen.reason());
        }
    }

    private void become(EndpointState next) {
        WorkerStatistics statistics = worker.counterSet();
        statistics.left(transportNumber, state);
        if (state == EndpointState.CONNECTED && path != null) {
            statistics.took(transportNumber, path, -1);
        }
        state = next;
        if (next == EndpointState.CONNECTED && path != null) {
            transportNumber = statistics.layout().transport(transportName());
            figures = statistics.layout().operations(transportNumber);
            statistics.took(transportNumber, path, 1);
        }
        if (!ending()) {
            statistics.entered(transportNumber, state);
        }
    }

    /** What the handler can do, for the peer's; nothing if it cannot say. */
    @Override
    public int features() {
        return handler.features();
    }

    /** Tells the handler that the endpoint is connected. */
    void deliverConnected() {
        announced = true;
        if (handler.isReconnect(endpoint)) {
            worker.countReconnect();
        }
        handler.connected(endpoint, agreement == null ? 0 : agreement.peerFeatures());
    }

    void deliverSignal(long value) {
        if (announced) {
            handler.signalled(endpoint, value);
        }
    }

    /** Tells the handler that all is over. */
    void deliverEnd() {
        over = true;
        if (failure != null) {
            handler.failed(endpoint, failure);
        } else {
            handler.closed(endpoint);
        }
    }

    // What the application's side needs.

    @Override
    public @Nullable TransportEndpoint transport() {
        return open;
    }

    Credits credits() {
        return credits;
    }

    Status terminalStatus() {
        return terminalStatus;
    }

    /** What a post is answered while {@link #transport()} is null. */
    long refusal() {
        return switch (state) {
            case CONNECTING, CONNECTED -> Status.NOT_CONNECTED.code();
            case CLOSING, CLOSED -> Status.CLOSED.code();
            case FAILED -> Status.PEER_FAILED.code();
        };
    }

    /** Operations whose completions have not run. On any thread. */
    int pending() {
        return (int) PENDING.getOpaque(this);
    }

    void began(CoreOperation operation) {
        pending++;
        if (operation.kind != CoreOperation.RECEIVE) {
            outgoing++;
        }
    }

    /** The operation has ended, and its completion will run. */
    void finished(CoreOperation operation) {
        if (operation.kind != CoreOperation.RECEIVE) {
            outgoing--;
        }
    }

    /** The operation's completion has run. */
    void delivered() {
        pending--;
        if (pending == 0 && tornDown) {
            worker.connections().settled(this);
        }
    }

    /** The operation was not taken after all. */
    void ended(CoreOperation operation) {
        finished(operation);
        pending--;
    }

    @Override
    public String description() {
        return "endpoint=" + label() + ", state=" + state;
    }

    @Override
    public void checkThread() {
        worker.checkThread();
    }

    EndpointKeys keys() {
        return keys;
    }

    ControlChannel channel() {
        return channel;
    }

    /** The peer has answered a ping. */
    void answered(long sequence) {
        long roundTripNs = watch.answered(sequence);
        if (roundTripNs != PeerWatch.NONE) {
            worker.counterSet().roundTrip(transportNumber, roundTripNs);
        }
    }

    EndpointState state() {
        return state;
    }

    Optional<Path> path() {
        return Optional.ofNullable(path);
    }

    Optional<FairleadException> failure() {
        return Optional.ofNullable(failure);
    }

    /** What the peer calls itself; empty until it has said so. */
    String peerName() {
        return agreement == null ? "" : agreement.peerName();
    }

    /** The transport's name; empty until one is chosen. */
    @Override
    public String transportName() {
        return agreement == null ? "" : agreement.path().transport();
    }

    @Override
    public long peerIncarnation() {
        return agreement == null ? 0 : agreement.peerIncarnation();
    }

    /** What the peer signs its remote keys with. */
    @Override
    public KeySecret peerSecret() {
        return agreement == null ? KeySecret.NONE : agreement.peerSecret();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    // What the transport tells.

    @Override
    public @Nullable Arrival arrived(long tag, long length, Arrival.Place place) {
        if (state == EndpointState.CONNECTING) {
            // The data path was faster than the peer's last word of the handshake.
            connected();
        }
        if (length < 0 || (tag & ~Worker.TAG_MAX) != 0) {
            violation("message header out of range: tag=" + tag + ", length=" + length);
            return null;
        }
        if (place == Arrival.Place.EAGER && length > eagerMax) {
            violation("eager message too long: length=" + length + ", eagerMax=" + eagerMax + " bytes");
            return null;
        }
        long cost = credits.cost(length);
        if (!credits.admit(cost)) {
            violation("message without credits: length=" + length + " bytes");
            return null;
        }
        return worker.receives().arrived(this, tag, length);
    }

    @Override
    public @Nullable Operation match(long tag, long length) {
        long cost = credits.cost(length);
        if (state == EndpointState.CONNECTING
                || length > eagerMax
                || (tag & ~Worker.TAG_MAX) != 0
                || !credits.admits(cost)) {
            return null;
        }
        CoreOperation receive = worker.receives().match(endpoint, tag);
        if (receive != null) {
            credits.admit(cost);
            matched(length);
        }
        return receive;
    }

    @Override
    public void matched(Operation receive, long tag, long length) {
        if (state == EndpointState.CONNECTING) {
            connected();
        }
        credits.admit(credits.cost(length));
        worker.receives().matched(endpoint, (CoreOperation) receive, tag, length);
    }

    /** A message has left matching: its credits go back to the sender. */
    void matched(long length) {
        if (credits.matched(credits.cost(length))) {
            worker.connections().creditsDue(this);
        }
    }

    /** Tells the peer of its credits; false if that must be tried again. */
    boolean reportCredits() {
        long due = credits.due();
        if (due == 0 || transport == null || tornDown) {
            return true;
        }
        if (!channel.credit(due)) {
            return false;
        }
        credits.reported();
        return true;
    }

    @Override
    public void signalled(long value) {
        worker.signalled(endpoint, value);
    }

    @Override
    public void control(ByteBuffer frame) {
        channel.arrived(frame);
    }

    @Override
    public void heard() {
        watch.heard();
    }

    @Override
    public void failed(FairleadException cause) {
        if (!channel.apart() || ending()) {
            fail(cause);
            return;
        }
        // A peer that closes takes its data path down right behind its goodbye, which may still be unread.
        insideTransport = true;
        channel.read();
        insideTransport = false;
        if (!ending()) {
            // What the transport ends until the endpoint is taken down, it ends because of this.
            terminalStatus = peerLeft ? Status.CLOSED : Status.PEER_FAILED;
            worker.connections().suspect(this, cause);
        }
    }

    /** The transport has given the peer up. A goodbye that is here by now makes a close of it. */
    void judge(FairleadException cause) {
        if (!ending() && !peerLeft) {
            channel.read();
        }
        if (!ending()) {
            if (peerLeft) {
                leave();
            } else {
                fail(cause);
            }
        }
    }

    /** The peer has said goodbye. */
    private void leave() {
        if (channel.apart()) {
            // The goodbye came by another road than the data; what the peer sent before it is already here.
            catchUp();
            // It may have connected and closed between two turns of this side.
            settles(worker.nowNs());
        }
        end(EndpointState.CLOSED, Status.CLOSED);
    }

    /** The endpoint has failed, for this cause and no other. */
    @Override
    public void fail(FairleadException cause) {
        if (ending() || peerLeft) {
            // Where the peer has left, its goodbye came first, and closes the endpoint when the transport has returned.
            return;
        }
        if (state == EndpointState.CLOSING && goodbyeSent) {
            // The peer hung up on our goodbye: that is how a close ends.
            end(EndpointState.CLOSED, Status.CLOSED);
            return;
        }
        failure = cause;
        if (state == EndpointState.CONNECTING) {
            worker.counterSet().connectFailed(cause.reason());
        } else {
            long silentNs = watch.silentNs();
            worker.counterSet().peerFailed(cause.reason(), silentNs);
            log.lost(cause, silentNs);
        }
        end(EndpointState.FAILED, Status.PEER_FAILED);
        worker.counterSet().add(Counter.ENDPOINTS_FAILED, 1);
        log.failed(cause);
    }

    /** The transport threw where it may not: nothing is known of what it was at, on this endpoint. */
    void broke(Throwable thrown) {
        if (!ending()) {
            fail(new FairleadException(
                    Reason.TRANSPORT,
                    "the transport threw: endpoint=" + label() + ", transport=" + transportName() + ", cause: "
                            + thrown,
                    thrown));
        }
    }

    @Override
    public void ended() {
        fail(new FairleadException(
                Reason.PEER_LOST, "peer closed the connection without a goodbye: endpoint=" + label()));
    }

    @Override
    public @Nullable LocalRegion acquireRegion(long regionId) {
        CoreRegion region = worker.regions().find(regionId);
        return region != null && region.acquire() ? region : null;
    }

    @Override
    public void wakePeer() {
        if (!tornDown) {
            // Without room for it there is something that the peer has not read, and that wakes it too.
            boolean _ = channel.wake();
        }
    }

    @Override
    public int eagerMax() {
        return eagerMax;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public boolean connector() {
        return connector;
    }

    @Override
    public ConnectionToken token() {
        return Objects.requireNonNull(agreement, "agreement").token();
    }

    @Override
    public int sourceId() {
        return agreement == null ? 0 : agreement.sourceId();
    }

    @Override
    public String label() {
        return peerName().isEmpty() ? "#" + id : "#" + id + " to " + peerName();
    }

    /** The peer has matched so many bytes more. */
    void granted(long bytes) {
        if (!credits.granted(bytes)) {
            violation("credits that this side never spent: bytes=" + bytes);
        }
    }

    void saidGoodbye() {
        if (ending()) {
            return;
        }
        if (insideTransport) {
            // Its progress cannot be called again from here.
            peerLeft = true;
        } else {
            leave();
        }
    }

    /** Lets in what the data path has brought already; bounded, because a peer that never stops sending must not keep this worker here. */
    private void catchUp() {
        TransportWorker mine = transportWorker;
        TransportEndpoint made = transport;
        for (int i = 0; mine != null && made != null && i < 1000; i++) {
            if (mine.progress() + made.bring() == 0) {
                return;
            }
        }
    }

    private void violation(String message) {
        fail(new FairleadException(Reason.PROTOCOL_VIOLATION, message + ", endpoint=" + label()));
    }

    // What the worker does.

    /** Starts a graceful close, or ends an endpoint that is not connected yet. */
    void beginClose(long deadlineNs) {
        if (state == EndpointState.CONNECTING) {
            end(EndpointState.CLOSED, Status.CLOSED);
        } else if (state == EndpointState.CONNECTED) {
            become(EndpointState.CLOSING);
            open = null;
            closeDeadlineNs = deadlineNs;
            log.closing();
            worker.connections().closing(this);
        }
    }

    /** Moves a graceful close on. */
    void advanceClose(long nowNs) {
        TransportEndpoint closing = transport;
        if (state != EndpointState.CLOSING || closing == null) {
            return;
        }
        boolean late = nowNs - closeDeadlineNs >= 0;
        boolean hadTurn = goodbyeSent;
        if (!goodbyeSent && (late || (outgoing == 0 && closing.drained()))) {
            goodbyeSent = channel.goodbye();
        }
        boolean said = goodbyeSent && closing.drained() && channel.drained();
        if (late && goodbyeSent && !hadTurn && !said) {
            // It is written in the transport's next turn, if the connection takes anything at all.
            return;
        }
        if (late || said) {
            if (goodbyeSent && connection != null) {
                // What is with the kernel stays there only as long as the socket is not closed over unread bytes.
                connection.lingerAt(worker.connections()::linger);
            }
            end(EndpointState.CLOSED, Status.CLOSED);
        }
    }

    void abort() {
        if (state != EndpointState.CLOSED && state != EndpointState.FAILED) {
            end(EndpointState.CLOSED, Status.CLOSED);
        }
    }

    private void end(EndpointState last, Status status) {
        become(last);
        terminalStatus = status;
        open = null;
        worker.connections().ending(this);
    }

    int figures() {
        return figures;
    }

    /** Whether the handler has been told that all is over. */
    boolean over() {
        return over;
    }

    boolean ending() {
        return state == EndpointState.CLOSED || state == EndpointState.FAILED;
    }

    /** Completes what is in flight and lets go of everything. Once, from the worker's own level. */
    void tearDown() {
        tornDown = true;
        if (handshake != null) {
            handshake.cancel();
            handshake = null;
        }
        endpoint.endStall();
        worker.receives().withdraw(endpoint);
        keys.end();
        closeTransport();
        worker.receives().settle(endpoint);
        channel.close();
        if (state == EndpointState.CLOSED) {
            worker.counterSet().add(Counter.ENDPOINTS_CLOSED, 1);
            log.closed();
        }
        if (pending == 0) {
            worker.connections().settled(this);
        }
    }

    /** Whatever a transport throws here, the rest of the endpoint ends all the same. */
    private void closeTransport() {
        if (transport != null) {
            try {
                transport.close();
            } catch (Throwable thrown) {
                log.closeFailed(thrown);
            }
        }
    }

    /** Hands a kept message to its receive. Also after the end, for messages that were whole. */
    void deliver(CoreArrival arrival) {
        kept().deliver(arrival);
    }

    /** After the end: whether every byte of a message is here. What the transport has of the others is freed. */
    boolean keep(CoreArrival arrival) {
        if (!arrival.whole) {
            arrival.whole = kept().keep(arrival);
        }
        if (!arrival.whole) {
            discard(arrival);
        }
        return arrival.whole;
    }

    /** Drops a kept message. */
    void discard(CoreArrival arrival) {
        kept().discard(arrival);
    }

    private TransportEndpoint kept() {
        TransportEndpoint keeping = transport;
        if (keeping == null) {
            throw new IllegalStateException("endpoint has no transport: endpoint=" + label());
        }
        return keeping;
    }

    /** Asks a silent peer to speak, and gives it up when it stays silent. */
    void watch(long nowNs, long excusedNs) {
        if (state != EndpointState.CONNECTED && state != EndpointState.CLOSING) {
            return;
        }
        if (watch.silent(nowNs, excusedNs)) {
            fail(new FairleadException(
                    Reason.PEER_SILENT,
                    "peer is silent: endpoint=" + label() + ", liveness.timeout="
                            + worker.settings().livenessNs() / 1_000_000 + " ms"));
        }
    }

    void sendRevoke(long regionId) {
        if (state == EndpointState.CONNECTED) {
            // Only a hint that spares the peer a futile operation: the owner refuses those in any case.
            channel.revoke(regionId);
        }
    }
}
