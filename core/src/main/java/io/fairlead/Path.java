package io.fairlead;

import java.util.List;
import java.util.Objects;

/**
 * The path that the data of an endpoint takes: transport, device and lanes, and why they were chosen. Immutable and thread-safe.
 *
 * <p>It is unrelated to {@link java.nio.file.Path}; a class that uses both qualifies one of them with its package.
 *
 * @param transport the transport's name, such as {@code tcp} or {@code ucx}
 * @param pathClass the kind of path, such as shared memory or RDMA
 * @param device what it runs over, such as {@code lo} or {@code mlx5_0:1}
 * @param lanes the transport's own names of the lanes that it combines, such as {@code rc_verbs}: those in use, or the
 *     possible ones if the transport does not report them; may be empty
 * @param cause why this path was chosen over the others, as one of a closed set
 * @param reason why this path was chosen over the others, in words
 */
public record Path(
        String transport, PathClass pathClass, String device, List<String> lanes, PathCause cause, String reason) {
    /** Copies the list of lanes. */
    public Path {
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(pathClass, "pathClass");
        Objects.requireNonNull(device, "device");
        Objects.requireNonNull(cause, "cause");
        Objects.requireNonNull(reason, "reason");
        lanes = List.copyOf(lanes);
    }

    @Override
    public String toString() {
        return transport + " over " + device + (lanes.isEmpty() ? "" : " " + lanes) + ": " + reason;
    }
}
