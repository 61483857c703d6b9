package io.fairlead.internal.engine;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.control.KeepAlive;
import io.fairlead.internal.events.EndpointLog;
import io.fairlead.internal.liveness.HostAnswer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** Acts on the results of an endpoint's keep-alive: logs them, or ends the endpoint. */
final class PeerWatch {
    private static final long MS = 1_000_000;

    private final EndpointPeer peer;
    private final KeepAlive keepAlive;
    private final EndpointLog log;
    private final String livenessText;
    private final String stallText;

    PeerWatch(EndpointPeer peer, KeepAlive keepAlive, EndpointLog log, Settings settings) {
        this.peer = peer;
        this.keepAlive = keepAlive;
        this.log = log;
        this.livenessText = "liveness.timeout=" + settings.livenessNs() / MS + " ms";
        this.stallText = "stall.timeout=" + settings.stallNs() / MS + " ms";
    }

    /** Checks the peer; returns why the endpoint fails, or null. */
    @Nullable FairleadException look(long nowNs, long gapNs, @Nullable SocketChannel connection) {
        switch (keepAlive.look(nowNs, gapNs, connection)) {
            case NOTHING -> {}
            case STALL_BEGAN -> log.logStalled(keepAlive.stalledNs() / MS, hostText(), stallText);
            case STALL_ENDED -> {
                log.logResumed(keepAlive.stalledNs());
                keepAlive.forgetStall();
            }
            case HOST_LOST -> {
                return failure(Reason.PEER_LOST, "peer's host does not answer", livenessText);
            }
            case STALLED_TOO_LONG -> {
                return failure(Reason.PEER_SILENT, "peer stands still", stallText + ", " + hostText());
            }
        }
        return null;
    }

    private FairleadException failure(Reason reason, String rule, String limit) {
        return new FairleadException(
                reason, rule + ": endpoint=" + peer.label() + ", silent=" + keepAlive.idleNs() / MS + " ms, " + limit);
    }

    private String hostText() {
        HostAnswer answer = keepAlive.hostAnswer();
        return answer == HostAnswer.ANSWERS ? "its host answers" : "whether its host answers is not known";
    }
}
