package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.access.SourceNetwork;
import io.fairlead.internal.config.Settings;
import io.fairlead.spi.CloseSteps;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The handshakes of a worker's listeners. Anyone who reaches the port can open connections and send nothing. A
 * connection without a complete hello therefore keeps its slot only until others need it. When the table is full, the
 * oldest idle connection of the network with the most idle ones is closed. However many connections come from some
 * addresses, the only peer of another address keeps its slot.
 */
public final class PendingHandshakes {
    /** A peer may need long to compute the next TLS message on a busy host: it gets this part of its timeout. */
    private static final int TLS_PART = 2;

    private final int max;
    private final int perSourceMax;
    private final long momentNs;
    private final long tlsNs;
    /** Oldest first. */
    private final List<ServerHandshake> handshakes = new ArrayList<>();

    public PendingHandshakes(Settings settings) {
        this.max = settings.pendingMax();
        this.perSourceMax = settings.pendingPerSourceMax();
        this.momentNs = ServerHandshake.momentNs(settings);
        this.tlsNs = settings.helloNs() / TLS_PART;
    }

    public boolean isEmpty() {
        return handshakes.isEmpty();
    }

    /**
     * Whether there is a slot for another handshake, if necessary by closing an idle one.
     *
     * @param taken the number of slots in other use
     */
    public boolean hasRoom(int taken) {
        if (handshakes.size() + taken < max) {
            return true;
        }
        handshakes.removeIf(ServerHandshake::isOver);
        return handshakes.size() + taken < max || hangUpOnOldest(null);
    }

    /** The number of peers that only wait for their refusals. */
    public long refusals() {
        return handshakes.stream().filter(ServerHandshake::isRefusal).count();
    }

    public void add(ServerHandshake handshake) {
        handshakes.add(handshake);
        int ofSource = 0;
        for (ServerHandshake other : handshakes) {
            if (other.awaitsHello() && other.source().equals(handshake.source())) {
                ofSource++;
            }
        }
        if (ofSource > perSourceMax) {
            hangUpOnOldest(handshake.source());
        }
    }

    /**
     * Closes the oldest idle peer of a network, or of those with the most. False if none has been idle for long enough.
     */
    private boolean hangUpOnOldest(@Nullable SourceNetwork source) {
        for (ServerHandshake oldest = oldest(source); oldest != null; oldest = oldest(source)) {
            // Its hello may have arrived while this worker was late, or TLS data that this side must process now.
            oldest.read();
            if (isIdle(oldest)) {
                oldest.drop(new FairleadException(
                        Reason.LIMIT_REACHED,
                        "no whole hello yet, and others need the place: listener.pending-max=" + max
                                + ", listener.pending-per-source-max=" + perSourceMax));
            }
            if (handshakes.removeIf(ServerHandshake::isOver)) {
                return true;
            }
        }
        return false;
    }

    private @Nullable ServerHandshake oldest(@Nullable SourceNetwork source) {
        Set<SourceNetwork> sources = source == null ? withMostIdle() : Set.of(source);
        for (ServerHandshake handshake : handshakes) {
            if (isIdle(handshake) && sources.contains(handshake.source())) {
                return handshake;
            }
        }
        return null;
    }

    /** Whether its peer has been idle for long enough. */
    private boolean isIdle(ServerHandshake handshake) {
        return handshake.awaitsHello() && handshake.idleNs() >= (handshake.hasSpokenTls() ? tlsNs : momentNs);
    }

    private Set<SourceNetwork> withMostIdle() {
        Map<SourceNetwork, Integer> counts = new HashMap<>();
        int most = 0;
        for (ServerHandshake handshake : handshakes) {
            if (handshake.awaitsHello()) {
                most = Math.max(most, counts.merge(handshake.source(), 1, Integer::sum));
            }
        }
        int wanted = most;
        counts.values().removeIf(count -> count < wanted);
        return counts.keySet();
    }

    /** Checks the deadline of each. */
    public void expire(long nowNs, long gapNs) {
        // The worker calls this continuously, and a capturing lambda is an object.
        if (!handshakes.isEmpty()) {
            handshakes.removeIf(handshake -> handshake.expireIfDue(nowNs, gapNs));
        }
    }

    /** A listener is closed: what may become a connection request of its handler does not. */
    public void end(InetSocketAddress listener) {
        for (ServerHandshake handshake : List.copyOf(handshakes)) {
            if (handshake.mayAsk(listener)) {
                handshake.drop(new FairleadException(
                        Reason.CLOSED, "the listener was closed before the connection request was made"));
            }
        }
    }

    public void cancel() {
        CloseSteps.runEach(handshakes, ServerHandshake::close);
    }
}
