package io.fairlead.internal.handshake;

import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.access.Admission;
import io.fairlead.internal.access.SourceNetwork;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.handshake.HandshakeMessage.Decline;
import io.fairlead.internal.handshake.HandshakeMessage.Hello;
import io.fairlead.internal.handshake.HandshakeMessage.Ready;
import io.fairlead.internal.handshake.HandshakeMessage.Refusal;
import io.fairlead.internal.handshake.HandshakeMessage.Resume;
import io.fairlead.internal.handshake.HandshakeMessage.Settled;
import io.fairlead.internal.handshake.HandshakeMessage.Welcome;
import io.fairlead.internal.handshake.Selection.Selected;
import io.fairlead.internal.liveness.TurnGap;
import io.fairlead.internal.log.LogScope;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.internal.tls.Secured;
import io.fairlead.internal.tls.TlsHandshake;
import io.fairlead.spi.TransportWorker;
import io.fairlead.statistics.Counter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The listening side: TLS if connections are secured, HELLO, WELCOME or REFUSAL, READY. A peer that fails leaves only a
 * log line.
 */
public final class ServerHandshake implements Handshake {
    private static final Logger LOG = LoggerFactory.getLogger(ServerHandshake.class);

    /** A peer usually sends its hello at once; it counts as idle only after this part of its timeout. */
    private static final int MOMENT = 8;

    private static final long MOMENT_MAX_NS = 250_000_000;

    private final HandshakeHost worker;
    private final Answer answer;
    private final SocketConnection socket;
    private final SocketChannel channel;
    private final InetSocketAddress peer;
    private final SourceNetwork source;
    private LingeringConnection connection;
    private HandshakeStream stream;
    /** TLS until its handshake has ended; null without security. */
    private @Nullable TlsHandshake tls;

    /** Whom to ask if the peer goes on with no earlier connection; null once its first bytes have shown that, and for other answers. */
    private Answer.@Nullable Ask ask;

    private final ByteBuffer first = ByteBuffer.allocate(HandshakeCodec.TYPE_KNOWN);
    private Secured secured = Secured.NOT;
    /** This side requires TLS, and the peer does not support it. */
    private boolean withoutTls;

    private final SelectionKey key;
    /** The start time, without this worker's own stalls. */
    private long startedNs;
    /** The time of the last check. */
    private long lookedNs;
    /** The time since when a message of the peer is awaited. */
    private long idleSinceNs;

    /** The endpoint that is connected; null until it is created. */
    private @Nullable HandshakeEndpoint endpoint;

    private @Nullable Welcome welcome;
    private byte[] peerAddress = new byte[0];
    /** The peer's hello, once it is admitted. */
    private @Nullable Hello hello;
    /** The complete hello has arrived. */
    private boolean hasHello;

    private final PathFailures failures = new PathFailures();
    private Settlement settlement = new Settlement();

    /** The refusal that is being sent to the peer; null if there is none. */
    private @Nullable FairleadException refusal;

    private boolean ended;

    /**
     * Begins.
     *
     * @param worker the worker that runs it
     * @param answer the listener's decision about the peer
     * @param socket the peer's, closed with the handshake or given to the endpoint
     * @throws IOException if the socket is unusable
     */
    public ServerHandshake(HandshakeHost worker, Answer answer, SocketConnection socket) throws IOException {
        this.worker = worker;
        this.answer = answer;
        this.endpoint = answer instanceof Answer.Connect connect ? connect.endpoint() : null;
        this.socket = socket;
        this.channel = socket.channel();
        this.peer = (InetSocketAddress) channel.getRemoteAddress();
        this.source = SourceNetwork.of(peer.getAddress());
        channel.configureBlocking(false);
        this.key = socket.register(worker.selector(), this);
        this.startedNs = worker.nowNs();
        this.lookedNs = startedNs;
        this.idleSinceNs = startedNs;
        this.ask = answer instanceof Answer.Ask undecided ? undecided : null;
        this.tls = isRefusal() || ask != null
                ? null
                : worker.security().listener(socket, peer, key, worker::delegate, this::goOn);
        this.connection = tls == null ? socket : tls.connection();
        this.stream = new HandshakeStream(connection, key.selector());
    }

    /** Whether the peer's hello is incomplete. */
    boolean awaitsHello() {
        return !ended && !hasHello;
    }

    /** Whether its peer may become a connection request of a listener. */
    boolean mayAsk(InetSocketAddress listener) {
        Answer.Ask undecided = ask;
        return !ended && undecided != null && undecided.listener().equals(listener);
    }

    boolean isOver() {
        return ended || isLeftToEndpoint();
    }

    /** Whether the peer only waits for its refusal. */
    boolean isRefusal() {
        return !ended && answer instanceof Answer.RefuseAtOnce;
    }

    /**
     * How long a message of the peer has been awaited, up to the last check. It excludes this side's computation and
     * most of its stalls.
     */
    long idleNs() {
        return tls != null && tls.isBusy() ? 0 : lookedNs - idleSinceNs;
    }

    /** Whether the TLS handshake is in progress: the peer's next message needs some computation. */
    boolean hasSpokenTls() {
        return tls != null && tls.hasSpoken();
    }

    /** The network by which unauthenticated peers are counted. */
    SourceNetwork source() {
        return source;
    }

    /** This side's computation is done. */
    private void goOn() {
        idleSinceNs = worker.nowNs();
        read();
    }

    /** Reads the received bytes, without waiting for the selector. */
    void read() {
        if (ended) {
            return;
        }
        try {
            advance();
        } catch (Throwable failure) {
            drop(failure);
        }
    }

    @Override
    public void ready(SelectionKey ready) {
        read();
    }

    private void advance() throws IOException {
        Answer.Ask undecided = ask;
        if (undecided != null && !tryPreview(undecided)) {
            return;
        }
        if (tls != null && !trySecure(tls)) {
            return;
        }
        if (!stream.flush()) {
            return;
        }
        if (refusal != null) {
            endRefusal(refusal);
            return;
        }
        if (welcome != null) {
            outlive();
        }
        tryRelease();
        boolean read = true;
        // Read up to the last message: the selector does not signal bytes that TLS has decrypted already.
        while (read && !ended && refusal == null && stream.isFlushed()) {
            read = readMessage();
        }
    }

    /** Reads the first bytes. True if the peer goes on with an earlier connection; if it does not, its request has the socket. */
    private boolean tryPreview(Answer.Ask undecided) throws IOException {
        if (socket.read(first) < 0) {
            throw new FairleadException(Reason.PEER_LOST, "the connection ended before the handshake did");
        }
        ByteBuffer read = first.duplicate().flip();
        boolean resumes = HandshakeCodec.mayBeResume(read);
        if (resumes && first.hasRemaining()) {
            return false;
        }
        ask = null;
        socket.takeBack(read);
        if (!resumes) {
            ended = true;
            socket.leave(key);
            worker.ask(undecided, socket);
        }
        return resumes;
    }

    /** Reads a message; false if there is none. */
    private boolean readMessage() throws IOException {
        HandshakeMessage message = stream.read();
        switch (message) {
            case null -> {
                if (stream.isTls()) {
                    refuseTls();
                }
            }
            case Hello said
            when welcome == null -> {
                hasHello = true;
                answer(said);
            }
            case Resume resume when hello == null && !secured.isTls() -> handOver(resume);
            case Ready ready when welcome != null && !settlement.isBegun() -> finish(welcome, ready);
            case Decline decline when welcome != null -> decline(welcome, decline);
            case Settled _
            when settlement.awaitsPeer() -> {
                settlement.markPeer();
                tryRelease();
            }
            default ->
                throw new FairleadException(
                        Reason.PROTOCOL_VIOLATION,
                        "unexpected handshake message: message="
                                + message.getClass().getSimpleName() + ", expected "
                                + (welcome == null ? "Hello" : "Ready"));
        }
        return message != null;
    }

    /** The peer goes on with an earlier connection, which takes the socket. */
    private void handOver(Resume resume) throws IOException {
        hasHello = true;
        String refusal = worker.handOver(resume, channel);
        if (!refusal.isEmpty()) {
            refuse(Reason.REFUSED, refusal);
            return;
        }
        ended = true;
        if (endpoint != null) {
            endpoint.giveUp();
        }
    }

    /** The peer sends TLS, which this side does not use: the refusal is unencrypted. */
    private void refuseTls() throws IOException {
        // Its remaining bytes are unread; closing now would discard the answer.
        connection.lingerAt(worker::linger);
        if (answer instanceof Answer.RefuseAtOnce(String shortage)) {
            refuse(Reason.LIMIT_REACHED, shortage);
        } else {
            refuse(
                    Reason.REFUSED,
                    "the connector speaks TLS, and security.mode=off at the listener; set the same security.mode at both");
        }
    }

    /** Continues the TLS handshake; true once messages can be read. */
    private boolean trySecure(TlsHandshake securing) throws IOException {
        TlsHandshake.Step step = securing.advance();
        if (step == TlsHandshake.Step.DONE) {
            secured = securing.secured();
            tls = null;
        } else if (step == TlsHandshake.Step.NOT_TLS) {
            withoutTls = true;
            tls = null;
            connection = socket;
            socket.takeBack(securing.giveUp());
            stream = new HandshakeStream(connection, key.selector());
        }
        return step != TlsHandshake.Step.WAITING;
    }

    private void answer(Hello hello) throws IOException {
        if (!hello.speaks(HandshakeCodec.VERSION)) {
            refuse(
                    Reason.VERSION_MISMATCH,
                    "no common protocol version: peer=" + hello.versionMin() + " to " + hello.versionMax() + ", here="
                            + HandshakeCodec.VERSION);
            return;
        }
        if (answer instanceof Answer.RefuseAtOnce(String shortage)) {
            refuse(Reason.LIMIT_REACHED, shortage);
            return;
        }
        if (withoutTls) {
            refuse(
                    Reason.REFUSED,
                    "the connector does not speak TLS, and security.mode="
                            + worker.security().modeText() + " at the listener; set the same security.mode at both");
            return;
        }
        if (!HandshakeOffers.isSecurity(hello.security()) || secured.isTls() != hello.security() > 0) {
            refuse(
                    Reason.REFUSED,
                    "what the connector says of security is not so: said=" + hello.security() + ", security.mode="
                            + worker.security().modeText() + " at the listener");
            return;
        }
        if (answer instanceof Answer.Refuse(Reason reason, String message)) {
            refuse(reason, message);
            return;
        }
        // The peer's TLS handshake may have ended long ago, without any message since.
        FairleadException distrust = worker.security().expiry(secured, worker.nowNs(), peer);
        if (distrust != null) {
            refuse(distrust.reason(), String.valueOf(distrust.getMessage()));
            return;
        }
        Admission admission;
        try {
            admission = worker.access().admit(secured.identity(), peer, worker.nowNs());
        } catch (FairleadException refused) {
            refuse(refused.reason(), String.valueOf(refused.getMessage()));
            return;
        }
        boolean accepted = false;
        try {
            accepted = tryAccept(hello, admission);
        } finally {
            if (!accepted) {
                admission.close();
            }
        }
    }

    /** Chooses the path and creates the endpoint; false if the peer is refused. */
    private boolean tryAccept(Hello said, Admission admission) throws IOException {
        Selection selection = worker.offers().choose(said, failures);
        if (!(selection instanceof Selected selected)) {
            refuse(Reason.NO_PATH, selection.reason());
            return false;
        }
        HandshakeEndpoint accepted = answer instanceof Answer.Accept(EndpointHandler handler)
                ? worker.newEndpoint(this, peer, handler)
                : endpoint;
        if (accepted == null) {
            refuse(
                    Reason.LIMIT_REACHED,
                    "too many endpoints on this worker: endpoints-max="
                            + worker.settings().endpointsMax() + "; close some or listen on another worker");
            return false;
        }
        accepted.admit(admission);
        endpoint = accepted;
        hello = said;
        choose(said, accepted, selected);
        return true;
    }

    /** Sets up this side of a path, or of the next one if that fails, and reports it to the connector. */
    private void choose(Hello said, HandshakeEndpoint accepted, Selection first) throws IOException {
        Selection selection = first;
        while (selection instanceof Selected selected) {
            try {
                welcome = setUp(said, accepted, selected);
                accepted.announce(connection);
                if (stream.write(welcome)) {
                    outlive();
                }
                return;
            } catch (RuntimeException | Error thrown) {
                FairleadException failure = PathFailures.of(selected.transport(), thrown);
                giveUpPath(selected.transport(), "listener", failure);
                if (!PathFailures.mayTryNext(failure)) {
                    refuseFor(failure);
                    return;
                }
            }
            selection = worker.offers().choose(said, failures);
        }
        refuseFor(failures.none(selection.reason()));
    }

    /** The connector has, or gets, the welcome. */
    private void outlive() throws IOException {
        LingeringConnection outlived =
                Objects.requireNonNull(endpoint, "endpoint").outlive(connection);
        if (outlived != null) {
            connection = outlived;
            connection.serve(key.selector(), this);
            stream = new HandshakeStream(connection, key.selector());
        }
    }

    private Welcome setUp(Hello said, HandshakeEndpoint accepted, Selected selected) {
        TransportWorker transport = worker.offers().requireTransport(selected.transport());
        peerAddress = said.offers().stream()
                .filter(offer -> offer.transport().equals(selected.transport()))
                .findFirst()
                .orElseThrow()
                .address();
        Welcome chosen =
                worker.offers().welcome(said, accepted.id(), selected, accepted.features(), accepted.ownToken());
        accepted.agree(worker.offers().parameters(said, chosen, channel, secured), transport);
        if (!transport.takesConnection()) {
            accepted.attach(transport, peerAddress, connection);
        }
        return chosen.withWireUpData(accepted.wireUpData());
    }

    private void giveUpPath(String transport, String side, FairleadException failure) {
        welcome = null;
        settlement = new Settlement();
        failures.add(transport, side, failure);
        Objects.requireNonNull(endpoint, "endpoint").detach();
    }

    /** The connector cannot set up the chosen path. */
    private void decline(Welcome chosen, Decline decline) throws IOException {
        if (failures.contains(decline.transport())) {
            // Both sides have given it up simultaneously.
            return;
        }
        if (!decline.transport().equals(chosen.transport())) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "the connector declines a path that was not chosen: transport=" + decline.transport() + ", chosen="
                            + chosen.transport());
        }
        FairleadException cause = new FairleadException(
                settlement.isOwn() ? Reason.PEER_LOST : decline.reason(),
                "the connector cannot set up the path: peer=" + peer + ", transport=" + decline.transport()
                        + ", cause: " + decline.message());
        if (settlement.isOwn()) {
            throw cause;
        }
        turnFrom(chosen, "connector", new FairleadException(decline.reason(), decline.message(), cause));
    }

    /** Offers the next path. */
    private void turnFrom(Welcome chosen, String side, FairleadException cause) throws IOException {
        Hello said = Objects.requireNonNull(hello, "hello");
        giveUpPath(chosen.transport(), side, cause);
        choose(
                said,
                Objects.requireNonNull(endpoint, "endpoint"),
                worker.offers().choose(said, failures));
    }

    private void finish(Welcome chosen, Ready ready) {
        HandshakeEndpoint accepted = Objects.requireNonNull(endpoint, "endpoint");
        accepted.wireUp(ready.wireUpData());
        TransportWorker transport = worker.offers().requireTransport(chosen.transport());
        if (transport.connectsByItself()) {
            settlement.begin();
            accepted.settle(startedNs + worker.settings().connectNs());
            return;
        }
        ended = true;
        try {
            if (transport.takesConnection()) {
                accepted.attach(transport, peerAddress, connection);
            } else {
                accepted.keepConnection(connection);
            }
        } catch (Throwable thrown) {
            // It has no owner.
            SocketConnection.hangUp(connection);
            throw thrown;
        }
        accepted.endHandshake(startedNs + worker.settings().connectNs());
    }

    @Override
    public void transportReady() {
        if (!ended && settlement.isBegun() && !settlement.isOwn()) {
            settlement.markOwn();
            try {
                if (stream.write(new Settled())) {
                    tryRelease();
                }
            } catch (Throwable failure) {
                drop(failure);
            }
        }
    }

    @Override
    public boolean tryNextPath(FairleadException cause) {
        Welcome chosen = welcome;
        if (ended || chosen == null || !settlement.mayTurnBack() || !PathFailures.mayTryNext(cause)) {
            return false;
        }
        try {
            turnFrom(chosen, "listener", cause);
        } catch (Throwable failure) {
            drop(failure);
        }
        return true;
    }

    @Override
    public boolean isLeftToEndpoint() {
        return settlement.isOwn();
    }

    /** Both sides are ready: the endpoint takes the connection. */
    private void tryRelease() {
        if (!ended && settlement.isOver() && stream.isFlushed()) {
            ended = true;
            try {
                Objects.requireNonNull(endpoint, "endpoint").keepConnection(connection);
            } catch (Throwable thrown) {
                // It has no owner.
                SocketConnection.hangUp(connection);
                throw thrown;
            }
        }
    }

    /** No path can be set up: the connector gets the reason, and the endpoint ends with it. */
    private void refuseFor(FairleadException cause) throws IOException {
        refusal = cause;
        worker.statistics().countRefusal(cause.reason());
        if (stream.write(new Refusal(cause.reason(), String.valueOf(cause.getMessage())))) {
            endRefusal(cause);
        }
    }

    private void refuse(Reason reason, String message) throws IOException {
        FairleadException cause =
                new FairleadException(reason, "refused the peer: peer=" + peer + ", reason: " + message);
        refusal = cause;
        worker.statistics().countRefusal(reason);
        if (endpoint == null) {
            try (LogScope _ = LogScope.of(worker.settings().name(), "", "")) {
                LOG.atLevel(refusalLevel()).log("refused {}: {}", peer, message);
            }
            worker.statistics().add(Counter.ENDPOINTS_FAILED, 1);
        }
        if (stream.write(new Refusal(reason, message))) {
            endRefusal(cause);
        }
    }

    /** The refusal was sent to the peer, or cannot be sent. */
    private void endRefusal(FairleadException cause) {
        cancel();
        if (endpoint != null) {
            endpoint.fail(cause);
        }
    }

    /** Closes the connection. */
    void drop(Throwable failure) {
        if (tls != null && failure instanceof FairleadException) {
            // The peer must be able to read the reason.
            connection.lingerAt(worker::linger);
        }
        cancel();
        FairleadException cause = failure instanceof IOException broken
                ? new FairleadException(
                        Reason.PEER_LOST,
                        "handshake broke off: peer=" + peer + ", cause: " + broken.getMessage(),
                        broken)
                : HandshakeFailure.of(peer, failure);
        if (endpoint != null) {
            endpoint.fail(refusal == null ? cause : refusal);
        } else if (refusal == null) {
            try (LogScope _ = LogScope.of(worker.settings().name(), "", "")) {
                // Connections that are closed to free slots are many, and not worth a warning each.
                LOG.atLevel(cause.reason() == Reason.LIMIT_REACHED ? Level.DEBUG : refusalLevel())
                        .log("dropped {} during the handshake: {}", peer, cause.getMessage());
            }
            worker.statistics().add(Counter.ENDPOINTS_FAILED, 1);
            worker.statistics().countConnectFailure(cause.reason());
        }
    }

    private Level refusalLevel() {
        return worker.refusalLines().tryWrite(worker.nowNs()) ? Level.WARN : Level.DEBUG;
    }

    /** How long a peer may send nothing before it counts as idle. */
    static long momentNs(Settings settings) {
        return Math.min(settings.helloNs() / MOMENT, MOMENT_MAX_NS);
    }

    @Override
    public boolean expireIfDue(long nowNs, long gapNs) {
        Settings settings = worker.settings();
        long excusedNs = TurnGap.excusedNs(gapNs, Math.min(settings.helloNs(), settings.connectNs()));
        // The peer is not responsible for this side's computation time either.
        startedNs += tls != null && tls.isBusy() ? Math.max(excusedNs, nowNs - lookedNs) : excusedNs;
        idleSinceNs += TurnGap.excusedNs(gapNs, momentNs(settings));
        lookedNs = nowNs;
        if (awaitsHello() && nowNs - startedNs > settings.helloNs()) {
            drop(new FairleadException(
                    Reason.TIMED_OUT,
                    "no whole hello within listener.hello-timeout=" + settings.helloNs() / 1_000_000
                            + " ms; is that a Fairlead peer?"));
        } else if (!ended && !settlement.isBegun() && nowNs - startedNs > settings.connectNs()) {
            drop(new FairleadException(
                    Reason.TIMED_OUT,
                    "handshake took longer than connect.timeout=" + settings.connectNs() / 1_000_000 + " ms"));
        }
        return isOver();
    }

    @Override
    public void cancel() {
        if (!ended) {
            ended = true;
            SocketConnection.hangUp(connection);
        }
    }
}
