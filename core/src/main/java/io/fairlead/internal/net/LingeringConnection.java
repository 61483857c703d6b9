package io.fairlead.internal.net;

import io.fairlead.spi.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
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

    /**
     * Reads bytes of the peer below any protection, to be discarded.
     *
     * @return bytes read, 0 if there are none now, -1 if the peer needs nothing more
     * @throws IOException if the connection is broken
     */
    int discard(ByteBuffer target) throws IOException;

    /** Whether the peer may still receive what was written, so that the close can wait for it. */
    boolean mayLinger(Selector selector);

    /**
     * Puts a stream that outlives its sockets in the place of the socket.
     *
     * @param stream carries the bytes from now on
     * @param received takes bytes that were read from the socket already, and leaves what they are in the stream
     * @return the connection to use from now on
     */
    LingeringConnection outlive(LingeringConnection stream, Consumer<ByteBuffer> received);

    /** Closes the socket and frees all resources. Idempotent, and never throws. */
    void closeSocket();
}
