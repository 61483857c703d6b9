package io.fairlead.spi;

import io.fairlead.PathClass;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether and how two processes reach each other over a transport. Immutable.
 *
 * @param pathClass the kind of path, or null if there is none
 * @param device what the path runs over; empty if there is none
 * @param lanes the transport's names for what it combines
 * @param reason why the path is of this kind, or why there is none
 */
public record Reach(@Nullable PathClass pathClass, String device, List<String> lanes, String reason) {
    /** Copies the list of lanes. */
    public Reach {
        Objects.requireNonNull(device, "device");
        Objects.requireNonNull(reason, "reason");
        lanes = List.copyOf(lanes);
    }

    /**
     * A path.
     *
     * @param pathClass its kind
     * @param device what it runs over
     * @param lanes the transport's names for what it combines
     * @param reason why it is of this kind
     * @return the answer
     */
    public static Reach by(PathClass pathClass, String device, List<String> lanes, String reason) {
        return new Reach(Objects.requireNonNull(pathClass, "pathClass"), device, lanes, reason);
    }

    /**
     * No path.
     *
     * @param reason why, in words for the log of both sides
     * @return the answer
     */
    public static Reach none(String reason) {
        return new Reach(null, "", List.of(), reason);
    }
}
