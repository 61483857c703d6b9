package io.fairlead.internal.engine;

import io.fairlead.ConnectionRequestHandler;
import io.fairlead.Context;
import io.fairlead.EndpointHandler;
import io.fairlead.Listener;
import io.fairlead.PathPolicy;
import io.fairlead.internal.access.ContextAccess;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.handshake.Answer;
import io.fairlead.internal.handshake.Handshake;
import io.fairlead.internal.handshake.HandshakeEndpoint;
import io.fairlead.internal.handshake.HandshakeHost;
import io.fairlead.internal.handshake.HandshakeMessage.Resume;
import io.fairlead.internal.handshake.HandshakeOffers;
import io.fairlead.internal.handshake.PendingHandshakes;
import io.fairlead.internal.handshake.ServerHandshake;
import io.fairlead.internal.log.LineLimit;
import io.fairlead.internal.log.LogScope;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.internal.net.LingeringSockets;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.internal.tls.ContextSecurity;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Descriptors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners and handshakes of a worker, and the services that they use. */
final class Handshakes implements CoreListener.Host, HandshakeHost {
    private static final Logger LOG = LoggerFactory.getLogger(Handshakes.class);
    private static final long ACCEPT_PAUSE_NS = 20_000_000;
    private static final Answer CLOSING = new Answer.RefuseAtOnce("the listener's worker closes");
    /**
     * The maximum number of peers that are refused for lack of descriptors, or linger after a refusal, at a time: each
     * uses one descriptor until then.
     */
    private static final int REFUSALS_MAX = Descriptors.RESERVE / 4;

    /** The worker that owns them. */
    interface Owner {
        Selector selector();

        Context context();

        Settings settings();

        WorkerStatistics statistics();

        HandshakeOffers offers();

        /** A new endpoint for a handshake, or null if the limit is reached. */
        @Nullable HandshakeEndpoint newEndpoint(Handshake handshake, InetSocketAddress peer, EndpointHandler handler);

        /** As {@link HandshakeHost#handOver}. */
        String handOver(Resume resume, SocketChannel socket);

        /** Whether a peer may go on with a connection that it has made to any worker of the context. */
        boolean servesResumption();

        /** A handshake has begun. */
        void handshakeBegun();

        /** Runs a command in a turn of the worker; on any thread. */
        void enqueue(Runnable command);
    }

    private final WorkerThread thread;
    private final Owner owner;
    private final CoarseClock clock;
    private final ContextSecurity security;
    private final ContextAccess access;
    private final LingeringSockets lingering;
    private final List<CoreListener> listeners = new ArrayList<>();
    /** Handshakes that this side began. */
    private final List<Handshake> begun = new ArrayList<>();

    private final ConnectQueue connects = new ConnectQueue(this, begun);
    /** Handshakes that peers began. */
    private final PendingHandshakes pending;
    /** Peers whose handshakes have not begun on any worker. */
    private final ConnectionRequests requests = new ConnectionRequests();
    /** Requests that this worker has accepted and has no capacity for. */
    private final ArrayDeque<AcceptedRequest> accepted = new ArrayDeque<>();

    private final LineLimit refusalLines = new LineLimit();

    private long acceptAgainNs;
    private boolean acceptPaused;
    /** The worker closes. */
    private boolean resumesOnly;
    /** There were too few descriptors for the last connection. */
    private boolean isShort;

    Handshakes(
            WorkerThread thread,
            Owner owner,
            CoarseClock clock,
            ContextSecurity security,
            ContextAccess access,
            LingeringSockets lingering) {
        this.thread = thread;
        this.owner = owner;
        this.clock = clock;
        this.security = security;
        this.access = access;
        this.lingering = lingering;
        this.pending = new PendingHandshakes(owner.settings());
    }

    Listener listen(InetSocketAddress address, EndpointHandler handler) {
        return added(CoreListener.open(thread, this, address, handler));
    }

    Listener listen(InetSocketAddress address, ConnectionRequestHandler handler) {
        return added(CoreListener.open(thread, this, address, handler));
    }

    private Listener added(CoreListener listener) {
        listeners.add(listener);
        return listener;
    }

    /** Performs the handshake of a connection request, whose socket this worker owns. */
    void accept(CoreConnectionRequest request, SocketConnection peer, HandshakeEndpoint endpoint) {
        // The clock may be outdated on a worker that is not in its progress.
        clock.refresh();
        AcceptedRequest added = new AcceptedRequest(
                request, peer, endpoint, clock.nowNs(), owner.settings().connectNs());
        endpoint.start(added);
        accepted.add(added);
        owner.handshakeBegun();
        beginAccepted();
    }

    /** Begins as many handshakes as the limit allows. */
    private void beginAccepted() {
        for (AcceptedRequest next = accepted.peek(); next != null; next = accepted.peek()) {
            if (!next.isOver()) {
                if (!pending.hasRoom(0)) {
                    return;
                }
                ServerHandshake handshake = next.begin(this);
                if (handshake != null) {
                    pending.add(handshake);
                }
            }
            accepted.remove();
        }
    }

    /** Notifies handlers of connection requests. */
    int deliverRequests() {
        return requests.deliver();
    }

    /** Connects an endpoint. */
    void connect(HandshakeEndpoint endpoint, PathPolicy policy, InetSocketAddress address) {
        // The clock may be outdated on a worker that is not in its progress.
        clock.refresh();
        connects.connect(endpoint, policy, address);
        owner.handshakeBegun();
    }

    boolean isEmpty() {
        return begun.isEmpty() && pending.isEmpty() && requests.isEmpty() && accepted.isEmpty();
    }

    /** Checks the deadline of each, and accepts connections again after a pause. */
    void expire(long nowNs, long gapNs) {
        if (!begun.isEmpty()) {
            expireBegun(nowNs, gapNs);
        }
        pending.expire(nowNs, gapNs);
        if (!accepted.isEmpty()) {
            accepted.removeIf(waiting -> waiting.expireIfDue(nowNs, gapNs));
            beginAccepted();
        }
        if (!requests.isEmpty()) {
            requests.expire(nowNs, gapNs);
            settleRequests();
        }
        logLeftOut(nowNs);
        if (acceptPaused && nowNs - acceptAgainNs >= 0) {
            acceptPaused = false;
            listeners.forEach(CoreListener::resume);
        }
    }

    /** An ended handshake may let others begin, which are appended after those being checked. */
    private void expireBegun(long nowNs, long gapNs) {
        int count = begun.size();
        int kept = 0;
        for (int i = 0; i < count; i++) {
            Handshake handshake = begun.get(i);
            if (!handshake.expireIfDue(nowNs, gapNs)) {
                begun.set(kept++, handshake);
            }
        }
        begun.subList(kept, count).clear();
    }

    private void settleRequests() {
        requests.settle(this::begin);
    }

    private void logLeftOut(long nowNs) {
        long leftOut = refusalLines.takeLeftOut(nowNs);
        if (leftOut > 0) {
            try (LogScope _ = LogScope.of(owner.settings().name(), "", "")) {
                LOG.warn("left out {} more lines about peers that were refused or dropped", leftOut);
            }
        }
    }

    /** How long the worker may wait before a handshake needs it. */
    long longestWaitNs() {
        if (requests.hasNews()) {
            return 0;
        }
        if (!isEmpty()) {
            return 1_000_000;
        }
        return acceptPaused ? ACCEPT_PAUSE_NS : Long.MAX_VALUE;
    }

    /**
     * Accepts no further connections. Handshakes go on.
     *
     * @param resumes whether the listeners stay, for peers that make a connection again, and refuse all others
     */
    void stopAccepting(boolean resumes) {
        resumesOnly = true;
        if (!resumes) {
            CloseSteps.runEach(List.copyOf(listeners), CoreListener::close);
        }
    }

    /** Closes the listeners and cancels the handshakes. Idempotent. */
    void close() {
        CloseSteps.runAll(this::closeButForResumption, () -> stopAccepting(false));
    }

    /** Cancels the handshakes. The listeners stay, for peers that make a connection again, and refuse all others. */
    void closeButForResumption() {
        stopAccepting(true);
        CloseSteps.runAll(
                requests::close,
                () -> CloseSteps.runEach(accepted, AcceptedRequest::cancel),
                accepted::clear,
                connects::close,
                () -> CloseSteps.runEach(begun, Handshake::close),
                pending::cancel);
    }

    // Called by listeners.

    @Override
    public boolean hasRoomForHandshake() {
        settleRequests();
        return (!isShort || pending.refusals() < REFUSALS_MAX) && pending.hasRoom(requests.size());
    }

    @Override
    public String refusal(InetAddress source) {
        String shortage = shortage();
        return shortage.isEmpty() ? access.beginHandshake(source, clock.nowNs()) : shortage;
    }

    @Override
    public void begin(SocketChannel peer, Answer answer) {
        begin(new SocketConnection(peer), answer);
    }

    private void begin(SocketConnection peer, Answer answer) {
        try {
            pending.add(new ServerHandshake(this, resumesOnly ? CLOSING : answer, peer));
            owner.handshakeBegun();
        } catch (Throwable failure) {
            SocketConnection.close(peer.channel());
            CoreListener.logNotBegun(failure);
        }
    }

    @Override
    public void request(
            InetSocketAddress listener,
            SocketChannel peer,
            InetSocketAddress source,
            ConnectionRequestHandler handler) {
        SocketConnection socket = new SocketConnection(peer);
        if (resumesOnly || owner.servesResumption()) {
            // The handler must see no peer that goes on with an earlier connection.
            begin(socket, new Answer.Ask(listener, handler));
        } else {
            request(listener, socket, source, handler);
        }
    }

    @Override
    public void ask(Answer.Ask ask, SocketConnection socket) {
        try {
            request(ask.listener(), socket, (InetSocketAddress) socket.channel().getRemoteAddress(), ask.handler());
        } catch (IOException failure) {
            SocketConnection.close(socket.channel());
            CoreListener.logNotBegun(failure);
        }
    }

    private void request(
            InetSocketAddress listener,
            SocketConnection peer,
            InetSocketAddress source,
            ConnectionRequestHandler handler) {
        requests.add(
                new CoreConnectionRequest(
                        owner.context(),
                        listener,
                        peer,
                        source,
                        clock.nowNs(),
                        owner.settings().connectNs(),
                        () -> owner.enqueue(this::settleRequests)),
                handler);
        owner.handshakeBegun();
    }

    @Override
    public void pauseAccepting() {
        acceptPaused = true;
        acceptAgainNs = clock.nowNs() + ACCEPT_PAUSE_NS;
    }

    @Override
    public void forget(CoreListener listener) {
        listeners.remove(listener);
        pending.end(listener.address());
        requests.end(listener.address());
        settleRequests();
    }

    // Called by handshakes.

    @Override
    public Selector selector() {
        return owner.selector();
    }

    @Override
    public long nowNs() {
        return clock.nowNs();
    }

    @Override
    public Settings settings() {
        return owner.settings();
    }

    @Override
    public HandshakeOffers offers() {
        return owner.offers();
    }

    @Override
    public WorkerStatistics statistics() {
        return owner.statistics();
    }

    @Override
    public ContextSecurity security() {
        return security;
    }

    @Override
    public ContextAccess access() {
        return access;
    }

    @Override
    public LineLimit refusalLines() {
        return refusalLines;
    }

    @Override
    public void delegate(Runnable task, Runnable then) {
        security.delegate(() -> {
            task.run();
            owner.enqueue(then);
        });
    }

    @Override
    public void linger(LingeringConnection connection) {
        if (lingering.size() < REFUSALS_MAX) {
            lingering.add(connection, clock.nowNs());
        } else {
            connection.closeSocket();
        }
    }

    @Override
    public String handOver(Resume resume, SocketChannel socket) {
        return owner.handOver(resume, socket);
    }

    @Override
    public String shortage() {
        // Each time: the application may have opened files since the last connection.
        int free = Descriptors.free();
        isShort = free <= Descriptors.RESERVE;
        return isShort ? Descriptors.shortage(free) : "";
    }

    @Override
    public @Nullable HandshakeEndpoint newEndpoint(
            Handshake handshake, InetSocketAddress peer, EndpointHandler handler) {
        return owner.newEndpoint(handshake, peer, handler);
    }
}
