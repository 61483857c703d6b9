package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * By which each side knows that the other has heard its answer and takes part in this connection with the worker whose address it gave. A handshake that was overheard and is said
 * again by somebody else ends here, before UCX makes anything of it. Within a host the proof is signed with the host's secret too: UCX believes addresses of shared memory, so that a
 * peer must not give the address of a worker of this user's that it has heard of elsewhere.
 */
final class HandshakeProof {
    /** Begins what is signed with the host's secret, and nothing else that is. */
    private static final byte[] TITLE = "fairlead ready".getBytes(StandardCharsets.US_ASCII);

    private final EndpointHost host;
    private final WireUpSeal seal;
    private final boolean withinHost;

    /**
     * Makes the proofs of an endpoint.
     *
     * @param route how UCX reaches the peer
     */
    HandshakeProof(EndpointHost host, WireUpSeal seal, Lanes.Route route) {
        this.host = host;
        this.seal = seal;
        this.withinHost = route == Lanes.Route.SHARED_MEMORY;
    }

    /** What this side says. */
    byte[] make() {
        byte[] own = seal.own(WireUpSeal.HANDSHAKE, 0);
        if (!withinHost) {
            return own;
        }
        byte[] claim = claim(own);
        return HostSecret.here().sign(claim, claim.length);
    }

    /**
     * Checks what the other side has said.
     *
     * @throws FairleadException if it proves nothing
     */
    void check(byte[] proof) {
        byte[] expected = seal.peer(WireUpSeal.HANDSHAKE, 0);
        if (withinHost ? !isSigned(expected, proof) : !MessageDigest.isEqual(expected, proof)) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "the handshake was not finished by whoever has begun it"
                            + (withinHost ? ", a process of this user on this host" : "") + ": endpoint="
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
