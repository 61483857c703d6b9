package io.fairlead.internal.handshake;

import io.fairlead.EndpointHandler;
import io.fairlead.internal.access.ContextAccess;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.log.LineLimit;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.internal.tls.ContextSecurity;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;

/** The worker that handshakes run on. */
public interface HandshakeHost {
    Selector selector();

    /** The worker's coarse clock. */
    long nowNs();

    Settings settings();

    HandshakeOffers offers();

    ContextSecurity security();

    /** Who may connect, and how often. */
    ContextAccess access();

    /** Runs a task of TLS on another thread, and then something in a turn of this worker. */
    void delegate(Runnable task, Runnable then);

    /** Has a connection closed on which the peer is still to read why; at once if there are many of them. */
    void linger(LingeringConnection connection);

    WorkerStatistics statistics();

    /** How many lines about peers that are not let in are logged. */
    LineLimit refusalLines();

    /** Why a connection is not made although one could be begun; empty if it is made. */
    String shortage();

    /** A new endpoint for a peer that was accepted, or null if there are as many as allowed. */
    @Nullable HandshakeEndpoint newEndpoint(Handshake handshake, InetSocketAddress peer, EndpointHandler handler);
}
