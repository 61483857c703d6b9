package io.fairlead.internal.engine;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.handshake.ClientResume;
import io.fairlead.internal.handshake.HandshakeMessage.Resume;
import io.fairlead.internal.handshake.ResumeSecret;
import io.fairlead.internal.handshake.ServerResume;
import io.fairlead.internal.liveness.TurnGap;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.internal.net.ResumableStream;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.statistics.Counter;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The control connection of one endpoint, as something that outlives its sockets. The connector connects again, the
 * listener waits for it. If that takes longer than {@code failover.timeout}, the endpoint fails.
 */
final class Resumption implements ResumableStream.Owner, ClientResume.Connection, ServerResume.Connection {
    /** The worker that it belongs to. */
    interface Host {
        Selector selector();

        long nowNs();

        Settings settings();

        WorkerStatistics statistics();

        /** Runs a command in a turn of the worker; on any thread. */
        void enqueue(Runnable command);

        /** Advances it in the worker's turns, until it needs none. */
        void add(Resumption resumption);

        /** It is closed for good. */
        void forget(Resumption resumption);
    }

    /** The endpoint whose connection it is. */
    interface Owner {
        /** Whether the endpoint has ended, and only its connection lingers. */
        boolean isEnding();

        void fail(FairleadException cause);

        /** The connection goes on over another socket. */
        void resumed(String cause, long pauseNs, long repeated);
    }

    private static final long MS = 1_000_000;
    /** Of the connection of an endpoint that has ended, when its peer has ended too. */
    private static final int LAST_ATTEMPTS = 3;
    /** Peers that have not proved themselves; one more replaces the oldest. */
    private static final int SERVED_MAX = 4;

    private final Host host;
    private final Owner owner;
    private final EndpointPeer peer;
    private final boolean connector;
    private final ResumeSecret secret;
    private final ResumableStream stream;
    private final ResumePause pause;
    private final ArrayDeque<ServerResume> served = new ArrayDeque<>(0);
    private @Nullable ClientResume attempt;
    /** Carries the connection. Before that it has a name alone. */
    private boolean adopted;
    /** The peer stands still: it may answer on another socket. */
    private boolean suspected;

    private long downNs;
    /** When it is given up. */
    private long deadlineNs;

    private long nextNs;
    /** Attempts that have failed since the socket was lost. */
    private int failures;
    /** Why the socket was lost, and why the last attempt failed. */
    private String cause = "";

    private String obstacle = "";

    Resumption(Host host, Owner owner, EndpointPeer peer, boolean connector, SocketChannel socket) {
        this.host = host;
        this.owner = owner;
        this.peer = peer;
        this.connector = connector;
        this.secret = new ResumeSecret(peer.pathKey(ResumeSecret.LABEL));
        this.pause = new ResumePause(host.nowNs());
        this.stream =
                new ResumableStream(this, socket, connector, host.settings().replayBytes());
    }

    /** Puts itself in the place of a connection's socket. */
    LingeringConnection adopt(LingeringConnection connection) {
        adopted = true;
        return connection.outlive(stream, stream::take);
    }

    boolean isAdopted() {
        return adopted;
    }

    /** The endpoint ends. Without a connection it has no use. */
    void withdraw() {
        if (!adopted) {
            host.forget(this);
        }
    }

    /** It carries more than messages of the handshake and control frames from now on. */
    void carryData() {
        stream.reportLess();
    }

    /** Names it to the peer. */
    long name() {
        return secret.name();
    }

    /** The worker that it belongs to. */
    Host host() {
        return host;
    }

    /** Whether there is no socket. */
    boolean isDown() {
        return !stream.isUp();
    }

    // The stream.

    @Override
    public void down(IOException lost) {
        downNs = host.nowNs();
        deadlineNs = downNs + host.settings().failoverNs();
        nextNs = downNs + pause.afterLossNs(downNs);
        cause = words(lost);
        obstacle = "";
        failures = 0;
        host.add(this);
    }

    private static String words(Exception failure) {
        String message = failure.getMessage();
        return message == null ? failure.toString() : message;
    }

    @Override
    public void closed() {
        host.forget(this);
        cancelAttempt();
        served.forEach(ServerResume::cancel);
        served.clear();
    }

    /** Advances; true when it needs no more turns. */
    boolean advance(long nowNs) {
        served.forEach(resume -> resume.expireIfDue(nowNs));
        served.removeIf(ServerResume::isOver);
        if (stream.isClosed()) {
            return true;
        }
        boolean sent = stream.trySend();
        if (isDown() || suspected) {
            attempt(nowNs);
            return false;
        }
        cancelAttempt();
        return sent && served.isEmpty();
    }

    /**
     * Gives up if the connection was not resumed in time.
     *
     * @param gapNs the time since the last call, during which this worker may have been stalled
     */
    void expireIfDue(long nowNs, long gapNs) {
        long limitNs = host.settings().failoverNs();
        deadlineNs += TurnGap.excusedNs(gapNs, limitNs);
        if (isDown() && !stream.isClosed() && nowNs - deadlineNs > 0) {
            giveUp(new FairleadException(
                    Reason.PEER_LOST,
                    "connection broke and was not resumed: endpoint=" + peer.label() + ", cause: " + cause
                            + ", failover.timeout=" + limitNs / MS + " ms"
                            + (obstacle.isEmpty()
                                    ? "; the peer did not connect again"
                                    : "; last attempt: " + obstacle)));
        }
    }

    private void attempt(long nowNs) {
        ClientResume running = attempt;
        // It may end, and say so, before it is known here.
        if (running != null && !running.isOver()) {
            running.expireIfDue(nowNs);
        } else if (connector && nowNs - nextNs >= 0) {
            attempt = ClientResume.begin(
                    this,
                    secret,
                    peer.incarnation(),
                    peer.remoteAddress(),
                    host.selector(),
                    nowNs + pause.attemptNs(nowNs));
        }
    }

    private void cancelAttempt() {
        ClientResume running = attempt;
        attempt = null;
        if (running != null) {
            running.cancel();
        }
    }

    private void giveUp(FairleadException failure) {
        if (!owner.isEnding()) {
            host.statistics().add(Counter.FAILOVERS_FAILED, 1);
            owner.fail(failure);
        }
        stream.closeSocket();
    }

    /** How long the worker may wait before this needs it. */
    long longestWaitNs() {
        return connector || !isDown() ? MS : 20 * MS;
    }

    // The peer's silence.

    /** The peer's host does not answer on this socket. */
    void suspend(String why) {
        stream.suspend(new IOException(why));
    }

    /** The peer has stalled or has recovered. While it is stalled, the connector tries another socket. */
    void suspect(boolean still) {
        suspected = still && connector;
        if (suspected) {
            nextNs = host.nowNs();
            host.add(this);
        }
    }

    // Another socket.

    /** A peer asks to resume this connection. It has not been authenticated yet. */
    void serve(Resume resume, SocketChannel socket) {
        try {
            if (stream.isClosed() || !adopted) {
                throw new IOException("the connection is closed, or is not connected yet");
            }
            if (served.size() == SERVED_MAX) {
                served.remove().cancel();
            }
            served.add(new ServerResume(
                    this,
                    secret,
                    resume,
                    socket,
                    host.selector(),
                    host.nowNs() + host.settings().helloNs()));
            host.add(this);
        } catch (IOException | RuntimeException gone) {
            SocketConnection.close(socket);
        }
    }

    @Override
    public long fence() {
        if (stream.isClosed()) {
            throw new IllegalStateException("the connection is closed");
        }
        suspend("the peer goes on over another socket");
        return stream.bytesRead();
    }

    @Override
    public void resume(SocketChannel socket, long peerRead) throws IOException {
        attempt = null;
        suspected = false;
        long repeated = stream.resume(socket, peerRead);
        long nowNs = host.nowNs();
        pause.resumed(nowNs);
        host.statistics().add(Counter.FAILOVERS, 1);
        host.statistics().add(Counter.FAILOVER_BYTES, repeated);
        owner.resumed(cause, nowNs - downNs, repeated);
    }

    @Override
    public void failed(Exception failure) {
        attempt = null;
        obstacle = words(failure);
        nextNs = host.nowNs() + pause.afterFailureNs();
        if (++failures >= LAST_ATTEMPTS && owner.isEnding() && stream.hasEnded()) {
            // The peer reads nothing more, and may be gone with its listener: nobody will report the end of this side's
            // stream.
            stream.closeSocket();
        }
    }

    @Override
    public void refused(FairleadException refusal) {
        attempt = null;
        giveUp(new FairleadException(
                refusal.reason() == Reason.PROTOCOL_VIOLATION ? Reason.PROTOCOL_VIOLATION : Reason.PEER_LOST,
                "connection broke and cannot be resumed: endpoint=" + peer.label() + ", cause: " + cause + "; "
                        + refusal.getMessage(),
                refusal));
    }
}
