package io.fairlead.internal.handshake;

import io.fairlead.Path;
import io.fairlead.internal.memory.KeySecret;
import io.fairlead.internal.tls.Secured;
import java.net.InetSocketAddress;

/**
 * The result of a handshake, from the view of one side.
 *
 * @param peerName the peer's configured name
 * @param peerIncarnation the identity of the peer's context
 * @param sourceId the source number in tagged messages to the peer
 * @param path the path of the data
 * @param peerEagerMax the maximum length of an eager message to the peer, in bytes
 * @param sendWindow the maximum number of bytes in flight to the peer ahead of its matching
 * @param peerFeatures the features of the layer above the peer's worker, 15 bits
 * @param resumable whether the connection can be resumed on another socket
 * @param mayUseTcp whether the policies that this side knows allow TCP
 * @param keys the keys of the two transports for this connection
 * @param peerSecret the secret that signs the peer's remote keys
 * @param localAddress this side's address of the control connection
 * @param secured how the connection is secured, and the peer's identity
 */
public record ConnectionParameters(
        String peerName,
        long peerIncarnation,
        int sourceId,
        Path path,
        int peerEagerMax,
        int sendWindow,
        int peerFeatures,
        boolean resumable,
        boolean mayUseTcp,
        PathKeys keys,
        KeySecret peerSecret,
        InetSocketAddress localAddress,
        Secured secured) {}
