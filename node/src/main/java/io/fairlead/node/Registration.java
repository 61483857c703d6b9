package io.fairlead.node;

import io.fairlead.FairleadException;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.ServiceName;
import java.util.Optional;

/** An entry of this process in a registry. The node keeps it until it is closed. Thread-safe. Implemented by Fairlead only. */
public interface Registration extends AutoCloseable {
    /**
     * The name that it is registered under.
     *
     * @return never changes
     */
    ServiceName name();

    /**
     * What is registered.
     *
     * @return never changes
     */
    Member member();

    /**
     * Why the entry could not be renewed. The node goes on trying, and makes the entry again if the registry has dropped it.
     *
     * @return the cause; empty while the last attempt went well
     */
    Optional<FairleadException> failure();

    /**
     * Removes the entry. Idempotent. Waits for that, at most twice {@code node.discovery-timeout} and a second, unless called on a progress thread. Closing the node closes it too,
     * before the node's connections. A registry that cannot be reached drops the entry by itself after {@code node.discovery-lease}.
     */
    @Override
    void close();
}
