package io.fairlead.internal.engine;

import io.fairlead.Context;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.internal.access.ContextAccess;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.handshake.Handshake;
import io.fairlead.internal.handshake.HandshakeEndpoint;
import io.fairlead.internal.handshake.HandshakeMessage.Resume;
import io.fairlead.internal.handshake.HandshakeOffers;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.internal.net.LingeringSockets;
import io.fairlead.internal.net.SelectorLoop;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.internal.tls.ContextSecurity;
import io.fairlead.spi.CloseSteps;
import io.fairlead.statistics.Counter;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The endpoints of a worker: queues the work of each, and does it in the worker's turns. */
final class Connections
        implements Handshakes.Owner, ConnectionStarter.Endpoints, DutyCycle.ConnectionWork, Failover.Owner {
    private static final long POLL_NS = 100_000;
    private static final long HANDSHAKE_POLL_NS = 10_000;
    /** A sender without credits has nothing better to do. */
    private static final long CREDITS_POLL_NS = 5_000;

    private final CoreWorker worker;
    private final TurnWork work;
    private final SelectorLoop loop;
    private final EndpointTable endpoints;
    private final LingeringSockets lingering;
    private final Handshakes handshakes;
    private final ConnectionStarter starter;
    private final ContextSecurity security;
    private final ContextAccess access;

    /** Endpoints whose handshakes have ended and whose transports are not ready. */
    private final List<EndpointTransport> awaitingTransport = new ArrayList<>();

    private final ArrayDeque<EndpointLifecycle> connected = new ArrayDeque<>();
    private final ArrayDeque<EndpointLifecycle> ending = new ArrayDeque<>();
    private final ArrayDeque<Runnable> verdicts = new ArrayDeque<>();
    /** A post lacked credits since the last poll of the sockets, which deliver credits. */
    private boolean creditsAwaited;
    /** Endpoints may be away from their lanes, and try to go back. */
    private boolean anyAway;

    private final ArrayDeque<EndpointLifecycle> settled = new ArrayDeque<>();
    private final List<EndpointLifecycle> closing = new ArrayList<>();
    /** Ended endpoints whose messages may still be received. */
    private final List<EndpointLifecycle> retiring = new ArrayList<>();
    /** Endpoints that are torn down and still have operations to complete. */
    private int unsettled;

    private final ArrayDeque<EndpointLifecycle> creditsDue = new ArrayDeque<>();
    /** Endpoints whose control connections have buffered data that the selector does not signal. */
    private final ArrayDeque<EndpointLifecycle> readable = new ArrayDeque<>();

    private final OwnStall stall;
    private final Failover failover;

    Connections(
            CoreWorker worker,
            SelectorLoop loop,
            ContextSecurity security,
            ContextAccess access,
            Failover.Names resumable) {
        this.worker = worker;
        this.work = worker.work();
        this.loop = loop;
        this.security = security;
        this.access = access;
        this.stall = new OwnStall(worker.settings());
        this.failover = new Failover(this, worker.context().incarnation(), resumable, work);
        this.endpoints = new EndpointTable(worker.settings().endpointsMax());
        this.lingering = new LingeringSockets(
                worker.selector(),
                worker.settings().endpointsMax(),
                worker.settings().closeNs());
        this.handshakes = new Handshakes(worker.thread(), this, worker.clock(), security, access, lingering);
        this.starter = new ConnectionStarter(worker.context(), worker.settings(), security, handshakes, this);
    }

    /** The object that begins connections. */
    ConnectionStarter starter() {
        return starter;
    }

    // Called by handshakes.

    @Override
    public Selector selector() {
        return worker.selector();
    }

    @Override
    public long nowNs() {
        return worker.nowNs();
    }

    @Override
    public Context context() {
        return worker.context();
    }

    @Override
    public Settings settings() {
        return worker.settings();
    }

    @Override
    public HandshakeOffers offers() {
        return worker.offers();
    }

    @Override
    public WorkerStatistics statistics() {
        return worker.statistics();
    }

    @Override
    public @Nullable HandshakeEndpoint newEndpoint(
            Handshake handshake, InetSocketAddress peer, EndpointHandler handler) {
        if (isFull()) {
            return null;
        }
        HandshakeEndpoint endpoint = add(peer, handler);
        endpoint.start(handshake);
        return endpoint;
    }

    @Override
    public boolean isFull() {
        return endpoints.isFull();
    }

    @Override
    public boolean isClosing() {
        return worker.isClosing();
    }

    @Override
    public HandshakeEndpoint add(InetSocketAddress peer, EndpointHandler handler) {
        EndpointLifecycle endpoint = new EndpointLifecycle(worker, endpoints.freeId(), peer, handler);
        endpoints.add(endpoint);
        return endpoint.transport();
    }

    @Override
    public String handOver(Resume resume, SocketChannel socket) {
        return failover.handOver(resume, socket);
    }

    /** Connections that are made again when their sockets fail. */
    Failover failover() {
        return failover;
    }

    @Override
    public boolean servesResumption() {
        return failover.servesResumption();
    }

    @Override
    public void handshakeBegun() {
        work.connections = true;
    }

    @Override
    public void enqueue(Runnable command) {
        worker.enqueue(command);
    }

    /** The endpoint waits for its transport. */
    void awaitTransport(EndpointTransport endpoint) {
        awaitingTransport.add(endpoint);
        work.connections = true;
    }

    /** Queues the handler's call for the connected endpoint. */
    void queueConnected(EndpointLifecycle endpoint) {
        connected.add(endpoint);
        work.connections = true;
    }

    /** Queues the teardown of an ended endpoint. */
    void queueTearDown(EndpointLifecycle endpoint) {
        ending.add(endpoint);
        work.connections = true;
    }

    /** Queues the evaluation of a failure that the endpoint's transport has reported. */
    void queueVerdict(Runnable verdict) {
        verdicts.add(verdict);
        work.connections = true;
    }

    /** The endpoint closes gracefully. */
    void queueClose(EndpointLifecycle endpoint) {
        closing.add(endpoint);
        work.connections = true;
    }

    /** Keeps the connection of a gracefully closed endpoint until its peer has received what is left in it. */
    void linger(LingeringConnection connection) {
        lingering.add(connection, worker.nowNs());
    }

    /** Whether peers have not yet received everything from closed endpoints. */
    boolean hasLingering() {
        return !lingering.isEmpty();
    }

    /** The worker is closed: tears down the endpoints that its last turns did not, and waits for no peer. */
    void endAll() {
        CloseSteps.runAll(handshakes::close, this::tearDownEnded, lingering::close, failover::close);
    }

    /** All operations of the endpoint have completed; queues the handler's last call. */
    void queueEnd(EndpointLifecycle endpoint) {
        settled.add(endpoint);
        work.connections = true;
    }

    /** An endpoint has left its lanes. */
    void noteAway() {
        anyAway = true;
    }

    /** A post lacked credits. */
    void awaitCredits() {
        creditsAwaited = true;
        work.connections = true;
    }

    /** The endpoint owes its peer credits. */
    void queueCredits(EndpointLifecycle endpoint) {
        creditsDue.add(endpoint);
        work.connections = true;
    }

    /** The endpoint's control connection has buffered data that the selector does not signal. */
    void queueReading(EndpointLifecycle endpoint) {
        readable.add(endpoint);
        work.connections = true;
    }

    @Override
    public int advance(long nowNs) {
        int events = loop.pollIfDue(nowNs, pollNs());
        if (stall.isLookDue(nowNs)) {
            doHousekeeping(nowNs);
        }
        if (!awaitingTransport.isEmpty()) {
            awaitingTransport.removeIf(endpoint -> endpoint.trySettle(nowNs));
        }
        for (int i = creditsDue.size(); i > 0; i--) {
            EndpointLifecycle endpoint = creditsDue.remove();
            if (!endpoint.tryReportCredits()) {
                creditsDue.add(endpoint);
            }
        }
        for (int i = readable.size(); i > 0; i--) {
            readable.remove().readControl();
            events++;
        }
        for (Runnable suspect = verdicts.poll(); suspect != null; suspect = verdicts.poll()) {
            suspect.run();
        }
        if (!failover.isEmpty()) {
            failover.advance(nowNs);
        }
        if (!closing.isEmpty()) {
            closing.removeIf(endpoint -> {
                endpoint.advanceClose(nowNs);
                return endpoint.isEnding();
            });
        }
        return events + tearDownEnded();
    }

    @Override
    public boolean isDue(long nowNs) {
        return loop.isDue(nowNs, POLL_NS) || stall.isLookDue(nowNs);
    }

    private long pollNs() {
        if (creditsAwaited) {
            creditsAwaited = false;
            return CREDITS_POLL_NS;
        }
        return handshakes.isEmpty() ? POLL_NS : HANDSHAKE_POLL_NS;
    }

    private int tearDownEnded() {
        int count = 0;
        for (EndpointLifecycle endpoint = ending.poll(); endpoint != null; endpoint = ending.poll()) {
            if (endpoints.remove(endpoint)) {
                unsettled++;
                endpoint.tearDown();
                count++;
            }
        }
        return count;
    }

    @Override
    public int deliverConnected() {
        int count = handshakes.deliverRequests();
        for (EndpointLifecycle endpoint = connected.poll(); endpoint != null; endpoint = connected.poll()) {
            endpoint.deliverConnected();
            worker.receives().announced(endpoint.endpoint());
            worker.active().advance(endpoint.endpoint());
            count++;
        }
        return count;
    }

    @Override
    public int deliverEnds() {
        int count = 0;
        for (EndpointLifecycle endpoint = settled.poll(); endpoint != null; endpoint = settled.poll()) {
            // An earlier handler may have posted a receive that matched a waiting message. The end is queued again when
            // that has completed.
            if (!endpoint.isOver() && endpoint.endpoint().pending() == 0) {
                unsettled--;
                endpoint.deliverEnd();
                count++;
                if (!endpoint.tryRetire()) {
                    retiring.add(endpoint);
                }
            }
        }
        work.connections = !(connected.isEmpty()
                && ending.isEmpty()
                && verdicts.isEmpty()
                && closing.isEmpty()
                && creditsDue.isEmpty()
                && awaitingTransport.isEmpty()
                && handshakes.isEmpty()
                && failover.isEmpty()
                && readable.isEmpty());
        return count;
    }

    private void doHousekeeping(long nowNs) {
        lingering.expire(nowNs);
        retiring.removeIf(EndpointLifecycle::tryRetire);
        List<EndpointLifecycle> live = endpoints.live();
        long gapNs = stall.lookNs(nowNs, live.size());
        handshakes.expire(nowNs, gapNs);
        failover.expire(nowNs, gapNs);
        if (!awaitingTransport.isEmpty()) {
            awaitingTransport.forEach(endpoint -> endpoint.excuse(gapNs));
        }
        long creditsSpent = 0;
        long creditsLimit = 0;
        int away = 0;
        for (int i = 0; i < live.size(); i++) {
            EndpointLifecycle endpoint = live.get(i);
            endpoint.watchPeer(nowNs, gapNs);
            if (endpoint.isAwayFromLanes()) {
                endpoint.failBackIfDue(nowNs);
                away++;
            }
            endpoint.reportWithdrawals();
            expireKeys(endpoint, nowNs);
            creditsSpent += endpoint.endpoint().credits().spent();
            creditsLimit += endpoint.endpoint().credits().limit();
        }
        anyAway = away > 0;
        WorkerStatistics statistics = worker.statistics();
        statistics.set(Counter.CREDITS_OUTSTANDING, creditsSpent);
        statistics.set(Counter.CREDITS_LIMIT, creditsLimit);
        worker.receives().publish();
        worker.pool().forget();
    }

    /** Why an endpoint must no longer be connected because of its peer's keys or this side's; null if it may. */
    @Nullable FairleadException expiry(EndpointLifecycle endpoint, long nowNs) {
        CoreEndpoint judged = endpoint.endpoint();
        return security.expiry(judged.peer().secured(), nowNs, judged);
    }

    /** Ends an endpoint whose keys have been replaced, once it reaches its maximum age. */
    private void expireKeys(EndpointLifecycle endpoint, long nowNs) {
        FairleadException expired = expiry(endpoint, nowNs);
        if (expired != null) {
            endpoint.fail(expired);
        }
    }

    @Override
    public long longestWaitNs() {
        if (!connected.isEmpty()
                || !verdicts.isEmpty()
                || !ending.isEmpty()
                || !settled.isEmpty()
                || !creditsDue.isEmpty()
                || !readable.isEmpty()) {
            return 0;
        }
        if (!closing.isEmpty() || !awaitingTransport.isEmpty()) {
            return 1_000_000;
        }
        long longestNs = Math.max(1_000_000, worker.settings().livenessNs() / 8);
        if (anyAway) {
            longestNs =
                    Math.min(longestNs, Math.max(1_000_000, worker.settings().failbackNs() / 8));
        }
        return Math.min(Math.min(handshakes.longestWaitNs(), failover.longestWaitNs()), longestNs);
    }

    /** Stalls of this worker itself. */
    OwnStall stall() {
        return stall;
    }

    void sendRevoke(long regionId) {
        endpoints.live().forEach(endpoint -> {
            endpoint.host().forgetRegion(regionId);
            endpoint.sendRevoke(regionId);
        });
    }

    /** What peers may do. */
    ContextAccess access() {
        return access;
    }

    /**
     * Ends endpoints whose peers must no longer be connected, whichever side has connected. Reviews which regions the
     * other peers access without the owner.
     */
    void reviewPeers() {
        for (EndpointLifecycle endpoint : List.copyOf(endpoints.live())) {
            EndpointPeer peer = endpoint.endpoint().peer();
            FairleadException expulsion = null;
            if (endpoint.transport().isAdmitted()) {
                expulsion = access.expulsion(peer.identity(), peer.remoteAddress());
            } else if (peer.isAgreed()) {
                expulsion = access.distrust(peer.identity(), peer.remoteAddress());
            }
            if (expulsion != null) {
                endpoint.fail(expulsion);
            } else {
                endpoint.withdrawRegions();
            }
        }
    }

    /** Whether the log may have a line about a refused peer. */
    boolean mayLogRefusal() {
        return handshakes.refusalLines().tryWrite(worker.nowNs());
    }

    /** As {@link io.fairlead.spi.LayerWorker#isAccepting}. */
    boolean isAccepting() {
        for (EndpointLifecycle endpoint : endpoints.live()) {
            if (endpoint.state() == EndpointState.CONNECTING
                    && endpoint.transport().isAdmitted()) {
                return true;
            }
        }
        return false;
    }

    /** As {@link io.fairlead.spi.LayerWorker#stopAccepting}. */
    void stopAccepting() {
        handshakes.stopAccepting(failover.servesPeers());
    }

    /** Closes listeners, handshakes and endpoints. */
    void beginClose(long deadlineNs) {
        CloseSteps.runAll(
                // A connection that has broken can only be closed once its peer has made it again.
                failover.servesPeers() ? handshakes::closeButForResumption : handshakes::close,
                () -> CloseSteps.runEach(List.copyOf(endpoints.live()), endpoint -> endpoint.beginClose(deadlineNs)));
    }

    /** Closes listeners and handshakes, and ends endpoints without a graceful disconnect. */
    void abandon() {
        CloseSteps.runAll(handshakes::close, this::abort);
    }

    /** Ends every endpoint that did not disconnect gracefully in time. */
    void abort() {
        CloseSteps.runEach(List.copyOf(endpoints.live()), EndpointLifecycle::abort);
    }

    /** Whether no endpoint is left, and every operation of former endpoints has completed. */
    boolean isEmpty() {
        return endpoints.live().isEmpty() && unsettled == 0;
    }
}
