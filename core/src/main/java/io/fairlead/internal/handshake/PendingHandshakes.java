package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.access.SourceNetwork;
import io.fairlead.internal.config.Settings;
import io.fairlead.spi.CloseSteps;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The handshakes that a worker's listeners carry on. Whoever reaches the port can open connections and say nothing, so a connection
 * without a whole hello holds its place only until others need it: when the table is full the oldest silent one of the network that has
 * the most of them is hung up on. However many strangers come from some addresses, a peer that is alone at its own keeps its place.
 */
public final class PendingHandshakes {
    /** A peer in the middle of TLS computes before it says the next word, for long on a busy host: it has this part of its time. */
    private static final int TLS_PART = 2;

    private final int max;
    private final int perSourceMax;
    private final long momentNs;
    private final long tlsNs;
    /** The oldest first. */
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
     * Whether there is room for another, if need be in the place of a silent one.
     *
     * @param taken how many places others take
     */
    public boolean hasRoom(int taken) {
        if (handshakes.size() + taken < max) {
            return true;
        }
        handshakes.removeIf(ServerHandshake::isOver);
        return handshakes.size() + taken < max || hangUpOnOldest(null);
    }

    /** Peers that are only to be told why they are refused. */
    public long refusals() {
        return handshakes.stream().filter(ServerHandshake::isRefusal).count();
    }

    public void add(ServerHandshake handshake) {
        handshakes.add(handshake);
        int ofSource = 0;
        for (ServerHandshake other : handshakes) {
            if (other.isSilent() && other.source().equals(handshake.source())) {
                ofSource++;
            }
        }
        if (ofSource > perSourceMax) {
            hangUpOnOldest(handshake.source());
        }
    }

    /** Hangs up on the oldest silent peer of a network, or of those with the most; false if there is none that has had its moment. */
    private boolean hangUpOnOldest(@Nullable SourceNetwork source) {
        for (ServerHandshake oldest = oldest(source); oldest != null; oldest = oldest(source)) {
            // Its hello may be here, and this worker late; or more of TLS, which this side has to compute now.
            oldest.read();
            if (isQuiet(oldest)) {
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
        Set<SourceNetwork> sources = source == null ? withMostSilent() : Set.of(source);
        for (ServerHandshake handshake : handshakes) {
            if (isQuiet(handshake) && sources.contains(handshake.source())) {
                return handshake;
            }
        }
        return null;
    }

    /** Whether its peer is silent and has had its moment. */
    private boolean isQuiet(ServerHandshake handshake) {
        return handshake.isSilent() && handshake.quietNs() >= (handshake.hasSpokenTls() ? tlsNs : momentNs);
    }

    private Set<SourceNetwork> withMostSilent() {
        Map<SourceNetwork, Integer> counts = new HashMap<>();
        int most = 0;
        for (ServerHandshake handshake : handshakes) {
            if (handshake.isSilent()) {
                most = Math.max(most, counts.merge(handshake.source(), 1, Integer::sum));
            }
        }
        int wanted = most;
        counts.values().removeIf(count -> count < wanted);
        return counts.keySet();
    }

    /** Looks at the clock for each. */
    public void expire(long nowNs, long gapNs) {
        // The worker asks all the time, and what captures its arguments is an object.
        if (!handshakes.isEmpty()) {
            handshakes.removeIf(handshake -> handshake.expireIfDue(nowNs, gapNs));
        }
    }

    public void cancel() {
        CloseSteps.runEach(handshakes, ServerHandshake::close);
    }
}
