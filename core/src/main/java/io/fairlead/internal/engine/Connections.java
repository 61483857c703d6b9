package io.fairlead.internal.engine;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.PathPolicy;
import io.fairlead.internal.handshake.ClientHandshake;
import io.fairlead.internal.handshake.Handshake;
import io.fairlead.internal.handshake.PendingHandshakes;
import io.fairlead.internal.handshake.ServerHandshake;
import io.fairlead.internal.net.LingeringSockets;
import io.fairlead.internal.net.SelectorLoop;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.Descriptors;
import io.fairlead.statistics.Counter;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The listeners, handshakes and endpoints of a worker: who comes, who lives, who leaves. */
final class Connections {
    private static final long HOUSEKEEPING_NS = 5_000_000;
    private static final long POLL_NS = 100_000;
    private static final long HANDSHAKE_POLL_NS = 10_000;
    private static final long ACCEPT_PAUSE_NS = 20_000_000;

    /** Peers that are told at a time that there are no descriptors for them: each takes one until then. */
    private static final int REFUSALS_MAX = Descriptors.RESERVE / 4;
    /** One connection is made for so many descriptors that were free, before they are counted again: other workers make some too. */
    private static final int CONNECTIONS_PER_COUNT = 8;

    private final CoreWorker worker;
    private final SelectorLoop loop;
    private final EndpointTable endpoints;
    private final LingeringSockets lingering;
    private final List<CoreListener> listeners = new ArrayList<>();
    /** Handshakes that this side began. */
    private final List<Handshake> handshakes = new ArrayList<>();
    /** Handshakes that peers began. */
    private final PendingHandshakes pending;

    /** Endpoints whose handshakes are over and whose transports are not ready. */
    private final List<EndpointLife> greeted = new ArrayList<>();

    private final ArrayDeque<EndpointLife> connected = new ArrayDeque<>();
    private final ArrayDeque<EndpointLife> ending = new ArrayDeque<>();
    private final ArrayDeque<Runnable> suspects = new ArrayDeque<>();
    /** Something waits in one of these queues. */
    private boolean stirred;

    private final ArrayDeque<EndpointLife> settled = new ArrayDeque<>();
    private final List<EndpointLife> closing = new ArrayList<>();
    /** Endpoints that are taken down and still have operations to complete. */
    private int unsettled;

    private final ArrayDeque<EndpointLife> creditsDue = new ArrayDeque<>();
    private long keptHouseNs = System.nanoTime();
    private long acceptAgainNs;
    private boolean acceptPaused;
    /** How many connections may be made before free descriptors are counted again. */
    private int uncounted;

    Connections(CoreWorker worker, SelectorLoop loop) {
        this.worker = worker;
        this.loop = loop;
        this.endpoints = new EndpointTable(worker.settings().endpointsMax());
        this.pending = new PendingHandshakes(worker.settings());
        this.lingering = new LingeringSockets(
                worker.selector(),
                worker.settings().endpointsMax(),
                worker.settings().closeNs());
    }

    Listener listen(InetSocketAddress address, EndpointHandler handler) {
        CoreListener listener = CoreListener.open(worker, address, handler);
        listeners.add(listener);
        return listener;
    }

    void forget(CoreListener listener) {
        listeners.remove(listener);
    }

    Endpoint connect(InetSocketAddress address, PathPolicy policy, EndpointHandler handler) {
        if (address.isUnresolved()) {
            throw new FairleadException(
                    Reason.UNKNOWN_HOST,
                    "host does not resolve: host=" + address.getHostString() + "; check the name or use an address");
        }
        EndpointLife life = newLife(address, handler);
        if (life == null) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "too many endpoints on this worker: endpoints-max="
                            + worker.settings().endpointsMax() + "; close some or use another worker");
        }
        ClientHandshake handshake = ClientHandshake.begin(worker, life, policy, address);
        if (handshake != null) {
            life.handshake(handshake);
            handshakes.add(handshake);
            stirred = true;
        }
        return life.endpoint();
    }

    /** A new endpoint, or null if there are as many as allowed. */
    @Nullable EndpointLife newLife(InetSocketAddress peer, EndpointHandler handler) {
        int id = endpoints.freeId();
        if (id == 0) {
            return null;
        }
        EndpointLife life = new EndpointLife(worker, id, peer, handler);
        endpoints.add(life);
        return life;
    }

    boolean roomForHandshake() {
        return (uncounted > 0 || pending.refusals() < REFUSALS_MAX) && pending.hasRoom(worker.nowNs());
    }

    /** Why a connection is not made although one could be begun; empty if it is made. */
    String shortage() {
        if (uncounted > 0) {
            uncounted--;
            return "";
        }
        int free = Descriptors.free();
        uncounted = Math.max(free - Descriptors.RESERVE, 0) / CONNECTIONS_PER_COUNT;
        return free > Descriptors.RESERVE ? "" : Descriptors.shortage(free);
    }

    void started(ServerHandshake handshake) {
        pending.add(handshake, worker.nowNs());
        stirred = true;
    }

    void pauseAccepting() {
        acceptPaused = true;
        acceptAgainNs = worker.nowNs() + ACCEPT_PAUSE_NS;
    }

    /** The endpoint waits for its transport. */
    void greeted(EndpointLife life) {
        greeted.add(life);
        stirred = true;
    }

    /** The endpoint's handler is to be told that it is connected. */
    void announce(EndpointLife life) {
        connected.add(life);
        stirred = true;
    }

    /** The endpoint has ended and is to be taken down. */
    void ending(EndpointLife life) {
        ending.add(life);
        stirred = true;
    }

    /** The endpoint's transport has given its peer up. */
    void suspect(EndpointLife life, FairleadException cause) {
        suspects.add(() -> life.judge(cause));
        stirred = true;
    }

    /** The endpoint closes gracefully. */
    void closing(EndpointLife life) {
        closing.add(life);
        stirred = true;
    }

    /** The socket of an endpoint that has closed gracefully, for its peer to take what is left in it. */
    void linger(SocketChannel channel) {
        lingering.add(channel, worker.nowNs());
    }

    /** Whether peers have still to take what endpoints sent that have closed. */
    boolean lingers() {
        return !lingering.isEmpty();
    }

    /** Everything of the endpoint has completed; its handler is to be told that it is over. */
    void settled(EndpointLife life) {
        settled.add(life);
        stirred = true;
    }

    /** The endpoint owes its peer credits. */
    void creditsDue(EndpointLife life) {
        creditsDue.add(life);
        stirred = true;
    }

    /** Whether there is anything to do here besides looking at the clock now and then. */
    boolean stirred() {
        return stirred;
    }

    /** What is to be done before completions run. */
    int advance(long nowNs) {
        int events = loop.pollIfDue(nowNs, handshakes.isEmpty() && pending.isEmpty() ? POLL_NS : HANDSHAKE_POLL_NS);
        if (nowNs - keptHouseNs >= HOUSEKEEPING_NS) {
            keepHouse(nowNs);
        }
        if (!greeted.isEmpty()) {
            greeted.removeIf(life -> life.settles(nowNs));
        }
        for (int i = creditsDue.size(); i > 0; i--) {
            EndpointLife life = creditsDue.remove();
            if (!life.reportCredits()) {
                creditsDue.add(life);
            }
        }
        for (Runnable suspect = suspects.poll(); suspect != null; suspect = suspects.poll()) {
            suspect.run();
        }
        if (!closing.isEmpty()) {
            closing.removeIf(life -> {
                life.advanceClose(nowNs);
                return life.ending();
            });
        }
        return events + takeDown();
    }

    private int takeDown() {
        int count = 0;
        for (EndpointLife life = ending.poll(); life != null; life = ending.poll()) {
            if (endpoints.remove(life)) {
                unsettled++;
                life.tearDown();
                count++;
            }
        }
        return count;
    }

    /** Tells handlers of new endpoints. */
    int announce() {
        int count = 0;
        for (EndpointLife life = connected.poll(); life != null; life = connected.poll()) {
            life.deliverConnected();
            count++;
        }
        return count;
    }

    /** Tells handlers of endpoints that are over. */
    int settle() {
        int count = 0;
        for (EndpointLife life = settled.poll(); life != null; life = settled.poll()) {
            if (!life.over()) {
                unsettled--;
                life.deliverEnd();
                count++;
            }
        }
        stirred = !(connected.isEmpty()
                && ending.isEmpty()
                && suspects.isEmpty()
                && closing.isEmpty()
                && creditsDue.isEmpty()
                && greeted.isEmpty()
                && handshakes.isEmpty()
                && pending.isEmpty());
        return count;
    }

    private void keepHouse(long nowNs) {
        long gapNs = nowNs - keptHouseNs;
        keptHouseNs = nowNs;
        lingering.expire(nowNs);
        // A worker that stood still itself must not blame its peers for the silence.
        long excusedNs = gapNs > worker.settings().livenessNs() / 2 ? gapNs : 0;
        if (!handshakes.isEmpty()) {
            handshakes.removeIf(handshake -> handshake.expired(nowNs, excusedNs));
        }
        if (!pending.isEmpty()) {
            pending.expire(nowNs, excusedNs);
        }
        if (!greeted.isEmpty()) {
            greeted.forEach(life -> life.excuse(excusedNs));
        }
        List<EndpointLife> live = endpoints.live();
        long creditsSpent = 0;
        long creditsLimit = 0;
        for (int i = 0; i < live.size(); i++) {
            EndpointLife life = live.get(i);
            life.watch(nowNs, excusedNs);
            creditsSpent += life.credits().spent();
            creditsLimit += life.credits().limit();
        }
        WorkerStatistics statistics = worker.counterSet();
        statistics.set(Counter.CREDITS_OUTSTANDING, creditsSpent);
        statistics.set(Counter.CREDITS_LIMIT, creditsLimit);
        worker.receives().publish(statistics);
        worker.pool().forget();
        if (acceptPaused && nowNs - acceptAgainNs >= 0) {
            acceptPaused = false;
            listeners.forEach(CoreListener::resume);
        }
    }

    /** How long the worker may wait without neglecting anything here; 0 if there is something to do. */
    long longestWaitNs() {
        if (!connected.isEmpty()
                || !suspects.isEmpty()
                || !ending.isEmpty()
                || !settled.isEmpty()
                || !creditsDue.isEmpty()) {
            return 0;
        }
        if (!closing.isEmpty() || !handshakes.isEmpty() || !pending.isEmpty() || !greeted.isEmpty()) {
            return 1_000_000;
        }
        if (acceptPaused) {
            return ACCEPT_PAUSE_NS;
        }
        return Math.max(1_000_000, worker.settings().livenessNs() / 8);
    }

    void sendRevoke(long regionId) {
        endpoints.live().forEach(life -> life.sendRevoke(regionId));
    }

    /** Closes listeners, handshakes and endpoints. */
    void beginClose(long deadlineNs) {
        List.copyOf(listeners).forEach(CoreListener::close);
        handshakes.forEach(Handshake::cancel);
        pending.cancel();
        List.copyOf(endpoints.live()).forEach(life -> life.beginClose(deadlineNs));
    }

    /** Ends every endpoint that the time for goodbyes was too short for. */
    void abort() {
        List.copyOf(endpoints.live()).forEach(EndpointLife::abort);
    }

    /** Whether no endpoint is left, and every operation of those that were has completed. */
    boolean over() {
        return endpoints.live().isEmpty() && unsettled == 0;
    }
}
