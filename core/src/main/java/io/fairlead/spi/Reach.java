package io.fairlead.spi;

import io.fairlead.PathClass;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether a transport reaches a peer, and by which path. Immutable and thread-safe.
 *
 * @param pathClass the kind of path, or null if the transport does not reach the peer
 * @param device what the path runs over, as in {@link io.fairlead.Path#device()}; empty if there is no path
 * @param lanes what the transport combines, as in {@link io.fairlead.Path#lanes()}
 * @param reason why the path is of this kind, or why there is none, as text for the logs of both sides
 * @param onRequest whether the path is used only if a side's policy names the transport, or if the two sides share no
 *     other transport
 */
public record Reach(
        @Nullable PathClass pathClass, String device, List<String> lanes, String reason, boolean onRequest) {
    /** Copies the list of lanes. */
    public Reach {
        Objects.requireNonNull(device, "device");
        Objects.requireNonNull(reason, "reason");
        lanes = List.copyOf(lanes);
    }

    /**
     * The transport reaches the peer.
     *
     * @param pathClass the kind of path
     * @param device what the path runs over
     * @param lanes the transport's names for what it combines
     * @param reason why the path is of this kind, as text for the logs of both sides
     * @return the answer
     */
    public static Reach by(PathClass pathClass, String device, List<String> lanes, String reason) {
        return new Reach(Objects.requireNonNull(pathClass, "pathClass"), device, lanes, reason, false);
    }

    /**
     * The transport does not reach the peer.
     *
     * @param reason why, as text for the logs of both sides
     * @return the answer
     */
    public static Reach none(String reason) {
        return new Reach(null, "", List.of(), reason, false);
    }

    /**
     * The same path, only for policies that name the transport.
     *
     * @return a copy with {@link #onRequest()}
     */
    public Reach ifRequested() {
        return new Reach(pathClass, device, lanes, reason, true);
    }
}
