package io.fairlead.internal.handshake;

import io.fairlead.Path;
import io.fairlead.internal.memory.KeySecret;
import io.fairlead.internal.tls.Secured;
import java.net.InetSocketAddress;

/**
 * What a handshake settles between two sides, as one of them sees it.
 *
 * @param peerName the name that the peer gives itself
 * @param peerIncarnation the identity of its context
 * @param sourceId what tagged messages to it carry
 * @param path the way that data takes
 * @param peerEagerMax the longest message that the peer takes as an eager one, in bytes
 * @param sendWindow what may be under way to the peer ahead of its matching, in bytes
 * @param peerFeatures what the layer above the peer's worker can do, 16 bits
 * @param keys what the two transports know each other by
 * @param peerSecret what the peer signs its remote keys with
 * @param localAddress this side's end of the control connection
 * @param secured how the connection is secured, and who the peer has proved to be
 */
public record ConnectionParameters(
        String peerName,
        long peerIncarnation,
        int sourceId,
        Path path,
        int peerEagerMax,
        int sendWindow,
        int peerFeatures,
        PathKeys keys,
        KeySecret peerSecret,
        InetSocketAddress localAddress,
        Secured secured) {
    /** The same of a connection that has ended, without what only a live one needs. */
    public ConnectionParameters ended() {
        return new ConnectionParameters(
                peerName,
                peerIncarnation,
                sourceId,
                path,
                peerEagerMax,
                sendWindow,
                peerFeatures,
                keys,
                peerSecret,
                localAddress,
                secured.ended());
    }
}
