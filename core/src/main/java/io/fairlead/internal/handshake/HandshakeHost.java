package io.fairlead.internal.handshake;

import io.fairlead.EndpointHandler;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.statistics.WorkerStatistics;
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

    WorkerStatistics statistics();

    /** Why a connection is not made although one could be begun; empty if it is made. */
    String shortage();

    /** A new endpoint for a peer that was accepted, or null if there are as many as allowed. */
    @Nullable HandshakeEndpoint newEndpoint(Handshake handshake, InetSocketAddress peer, EndpointHandler handler);
}
