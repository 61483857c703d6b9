package io.fairlead.internal;

import io.fairlead.Path;
import io.fairlead.internal.wire.KeySecret;
import io.fairlead.spi.ConnectionToken;

/**
 * What a handshake settles between two sides, as one of them sees it.
 *
 * @param peerName the name that the peer gives itself
 * @param peerIncarnation the identity of its context
 * @param sourceId what tagged messages to it carry
 * @param path the way that data takes
 * @param eagerMax the longest eager message, in bytes
 * @param sendWindow what may be under way to the peer ahead of its matching, in bytes
 * @param receiveWindow what the peer may have under way to here, in bytes
 * @param peerFeatures what the layer above the peer's worker can do, 16 bits
 * @param token tells the connection from all others
 * @param peerSecret what the peer signs its remote keys with
 */
record Agreement(
        String peerName,
        long peerIncarnation,
        int sourceId,
        Path path,
        int eagerMax,
        int sendWindow,
        int receiveWindow,
        int peerFeatures,
        ConnectionToken token,
        KeySecret peerSecret) {}
