package io.fairlead.node;

import io.fairlead.FairleadException;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.ServiceName;
import java.util.List;
import java.util.Optional;

/**
 * The members of a service as its resolver reports them, without connections. For layers that connect themselves, such as subscribers.
 * {@link Node#watch} makes one.
 * Thread-safe. Implemented by Fairlead only.
 */
public interface MemberWatch extends AutoCloseable {
    /**
     * The members.
     *
     * @return the members of the resolver's last answer, the lowest priority number first
     */
    List<Member> members();

    /**
     * Whether the resolver has answered.
     *
     * @return false before its first answer
     */
    boolean isResolved();

    /**
     * Queries the resolver again, because a member could not be reached and may have moved. The query comes no sooner than
     * {@code node.discovery-refresh-min} after the last one. Does not wait.
     */
    void refresh();

    /**
     * Why the resolver has no answer.
     *
     * @return the cause; empty while its last answer was one
     */
    Optional<FairleadException> failure();

    /**
     * The name.
     *
     * @return never changes
     */
    ServiceName name();

    /** Ends the resolver, without waiting for that. Idempotent. Closing the node closes it too. */
    @Override
    void close();
}
