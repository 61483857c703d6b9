package io.fairlead;

import java.util.Locale;
import java.util.Objects;

/**
 * Which paths an endpoint may take. A path must satisfy the policies of both sides. Immutable.
 *
 * <p>If no path satisfies both policies, the connection is refused with the cause; another path is never taken silently.
 */
public final class PathPolicy {
    /** Shared memory, then RDMA, then TCP: the best that both sides have. */
    public static final PathPolicy AUTO = new PathPolicy("auto");
    /** RDMA or no connection. */
    public static final PathPolicy REQUIRE_RDMA = new PathPolicy("require-rdma");
    /** TCP, even where both sides have a faster path. */
    public static final PathPolicy TCP_ONLY = new PathPolicy("tcp-only");

    private final String text;

    private PathPolicy(String text) {
        this.text = text;
    }

    /**
     * Only the transport with that name, in lower case; {@link #parse} accepts a name in any case.
     *
     * @param transport a transport's name, such as {@code ucx}
     * @return the policy
     * @throws IllegalArgumentException if the name is not 1 to 32 of {@code a-z 0-9 -}
     */
    public static PathPolicy named(String transport) {
        Objects.requireNonNull(transport, "transport");
        if (!transport.matches("[a-z0-9-]{1,32}")) {
            throw new IllegalArgumentException(
                    "not a transport name: transport=" + transport + ", allowed 1 to 32 of a-z 0-9 -");
        }
        return new PathPolicy(transport);
    }

    /**
     * Reads a policy as written in the configuration: {@code auto}, {@code require-rdma}, {@code tcp-only} or a
     * transport's name.
     *
     * @param text the policy's text, in any case
     * @return the policy
     * @throws IllegalArgumentException if the text is none of these
     */
    public static PathPolicy parse(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "auto" -> AUTO;
            case "require-rdma" -> REQUIRE_RDMA;
            case "tcp-only" -> TCP_ONLY;
            default -> named(text.toLowerCase(Locale.ROOT));
        };
    }

    /**
     * Whether a path of this transport and class satisfies the policy.
     *
     * @param transport the transport's name
     * @param pathClass the kind of path that it would take
     * @return true if the path may be taken
     */
    public boolean allows(String transport, PathClass pathClass) {
        return switch (text) {
            case "auto" -> true;
            case "require-rdma" -> pathClass == PathClass.RDMA;
            case "tcp-only" -> pathClass == PathClass.TCP;
            default -> text.equals(transport);
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PathPolicy policy && policy.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The text that {@link #parse(String)} reads. */
    @Override
    public String toString() {
        return text;
    }
}
