package io.fairlead.node.internal.receive;

import io.fairlead.FairleadException;
import io.fairlead.node.Peer;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.spi.LayerHandler;
import org.jspecify.annotations.Nullable;

/** A peer as receives use it: a source of messages. */
public interface SourcePeer extends Peer {
    /** The loop that has the peer's connection. */
    ProgressLoop loop();

    /** Handles the events of the peer's endpoint. On the loop's thread. */
    LayerHandler link();

    /** Why a receive from this peer alone will never match; null while it may. On the loop's thread. */
    @Nullable FairleadException receiveRefusal(long tag);
}
