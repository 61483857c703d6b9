package io.fairlead.node.internal.request;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The connection of a peer, as its requests use it. On the loop's thread. */
public interface RequestLink {
    /** Where requests are posted now; null if nowhere. */
    @Nullable Endpoint open();

    /** Whether a connection is being made, for the first time or again. */
    boolean isConnecting();

    /** Why the last connection failed. */
    Optional<FairleadException> cause();

    /** Something waits for capacity: it is to be tried again in later turns. */
    void stall();

    /** The peer has sent what no node sends. */
    void violated(Endpoint endpoint, FairleadException what);

    /** The node's own code for the requests has thrown. */
    void failThrown(Throwable thrown);
}
