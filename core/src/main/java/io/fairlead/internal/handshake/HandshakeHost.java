package io.fairlead.internal.handshake;

import io.fairlead.EndpointHandler;
import io.fairlead.internal.access.ContextAccess;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.handshake.HandshakeMessage.Resume;
import io.fairlead.internal.log.LineLimit;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.internal.tls.ContextSecurity;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** The worker that runs handshakes. */
public interface HandshakeHost {
    Selector selector();

    /** The worker's coarse clock. */
    long nowNs();

    Settings settings();

    HandshakeOffers offers();

    ContextSecurity security();

    /** Who may connect, and how often. */
    ContextAccess access();

    /** Runs a TLS task on another thread, and then a command in a turn of this worker. */
    void delegate(Runnable task, Runnable then);

    /** Closes a connection after the peer has read the reason; at once if there are many of them. */
    void linger(LingeringConnection connection);

    WorkerStatistics statistics();

    /** Limits the log lines about refused peers. */
    LineLimit refusalLines();

    /** Why a connection is not established although it could begin; empty if it is. */
    String shortage();

    /**
     * Hands the socket of a peer over to an earlier connection, which the peer wants to resume.
     *
     * @return why that is not possible; empty if it was done, and the socket has another owner
     */
    String handOver(Resume resume, SocketChannel socket);

    /** Has a handler decide about a peer that goes on with no earlier connection. The socket has another owner from now on. */
    void ask(Answer.Ask ask, SocketConnection socket);

    /** A new endpoint for an accepted peer, or null if the limit is reached. */
    @Nullable HandshakeEndpoint newEndpoint(Handshake handshake, InetSocketAddress peer, EndpointHandler handler);
}
