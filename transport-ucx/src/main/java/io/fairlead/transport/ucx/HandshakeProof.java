package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * Proves in the handshake that each side takes part in this connection, with the worker whose address it has sent. A
 * replayed handshake fails here, before UCX uses its data. Within a host the proof is also signed with the host's
 * secret: UCX uses an address of shared memory without checks, and a peer must not claim the address of another
 * process's worker as its own.
 */
final class HandshakeProof {
    /** Prefix of data signed with the host's secret, for this purpose only. */
    private static final byte[] TITLE = "fairlead ready".getBytes(StandardCharsets.US_ASCII);

    private final EndpointHost host;
    private final WireUpSeal seal;
    private final boolean withinHost;

    /**
     * Creates the proofs of an endpoint.
     *
     * @param route how UCX reaches the peer
     */
    HandshakeProof(EndpointHost host, WireUpSeal seal, Lanes.Route route) {
        this.host = host;
        this.seal = seal;
        this.withinHost = route == Lanes.Route.SHARED_MEMORY;
    }

    /** The length of a proof. */
    int length() {
        return withinHost ? HostSecret.LENGTH : WireUpSeal.LENGTH;
    }

    /** The proof of this side. */
    byte[] make() {
        byte[] own = seal.own(WireUpSeal.HANDSHAKE, 0);
        if (!withinHost) {
            return own;
        }
        byte[] claim = claim(own);
        return HostSecret.here().sign(claim, claim.length);
    }

    /**
     * Checks the proof of the peer.
     *
     * @throws FairleadException if the proof is wrong
     */
    void check(byte[] proof) {
        byte[] expected = seal.peer(WireUpSeal.HANDSHAKE, 0);
        if (withinHost ? !isSigned(expected, proof) : !MessageDigest.isEqual(expected, proof)) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "the peer does not prove that it takes part in this connection"
                            + (withinHost ? " as a process of this user on this host" : "") + ": endpoint="
                            + host.label());
        }
    }

    private static boolean isSigned(byte[] expected, byte[] proof) {
        byte[] claim = claim(expected);
        return proof.length == HostSecret.LENGTH
                && HostSecret.here()
                        .signed(ByteBuffer.allocate(claim.length + proof.length)
                                .put(claim)
                                .put(proof)
                                .array());
    }

    private static byte[] claim(byte[] seal) {
        return ByteBuffer.allocate(TITLE.length + seal.length)
                .put(TITLE)
                .put(seal)
                .array();
    }
}
