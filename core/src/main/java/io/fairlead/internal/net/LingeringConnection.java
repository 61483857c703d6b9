package io.fairlead.internal.net;

import io.fairlead.spi.Connection;
import java.io.IOException;
import java.util.function.Consumer;

/** A connection whose socket may outlive its holder, until the peer has taken what was written. */
public interface LingeringConnection extends Connection {
    /** The close to come is one after which the peer is to get what was written: the connection goes to this taker then. */
    void lingerAt(Consumer<LingeringConnection> taker);

    /**
     * Tells the peer that nothing more comes.
     *
     * @return false if the socket has no room for that now, and it must be tried again
     * @throws IOException if the connection is broken
     */
    boolean tryEndOutput() throws IOException;

    /** Closes the socket and frees everything. Idempotent, and never throws. */
    void closeSocket();
}
