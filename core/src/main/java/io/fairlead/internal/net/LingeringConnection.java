package io.fairlead.internal.net;

import io.fairlead.spi.Connection;
import java.io.IOException;
import java.util.function.Consumer;

/** A connection whose socket may outlive its holder, until the peer has received what was written. */
public interface LingeringConnection extends Connection {
    /** The next close must let the peer receive what was written: the connection then goes to this taker. */
    void lingerAt(Consumer<LingeringConnection> taker);

    /**
     * Ends the output.
     *
     * @return false if the socket is not writable now, and the call must be retried
     * @throws IOException if the connection is broken
     */
    boolean tryEndOutput() throws IOException;

    /** Closes the socket and frees all resources. Idempotent, and never throws. */
    void closeSocket();
}
