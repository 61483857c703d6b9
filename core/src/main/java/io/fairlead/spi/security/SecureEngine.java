package io.fairlead.spi.security;

import io.fairlead.PeerIdentity;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * The TLS engine of one connection, with the keys that it was created with. All methods refer to these keys, even after
 * the context has newer ones. Not thread-safe, except for {@link #isOutdated()}.
 */
public interface SecureEngine {
    /**
     * The engine, in the requested mode and completely configured.
     *
     * @return the same one at each call
     */
    SSLEngine engine();

    /**
     * Checks the negotiated parameters, and returns the peer's identity. The caller calls this before it trusts any
     * data of the peer.
     *
     * @return the peer; {@link PeerIdentity#SHARED_SECRET} if a shared secret is the proof, valid only after the caller
     *     has verified that proof
     * @throws SSLException if the handshake has not ended, or negotiated another version or application protocol, or
     *     the peer presented no certificate
     */
    PeerIdentity identity() throws SSLException;

    /**
     * Derives key material that only the two ends of the connection have, by the exporter of TLS 1.3.
     *
     * @param label distinguishes the purposes of the material
     * @param context distinguishes further; may be empty
     * @param length of the material in bytes, 1 to 255 times the length of a SHA-256
     * @return the same bytes at both ends, for each label and context
     * @throws SSLException if the handshake has not ended, or the engine has no exporter
     */
    byte[] export(String label, byte[] context, int length) throws SSLException;

    /**
     * The shared secrets, of which both peers prove one to each other after the TLS handshake. With shared secrets, the
     * certificates are created ad hoc and prove nothing. During a replacement there are two: a connector proves the
     * first, and a peer may prove either.
     *
     * @return copies, each as random as a key of 32 bytes; empty if certificates are the proof
     */
    List<byte[]> sharedSecrets();

    /**
     * Whether the context has other keys since the engine was created: another certificate, key, trust or secret. A new
     * revocation list alone outdates no engine. Callable from any thread.
     *
     * @return once true, always true
     */
    boolean isOutdated();

    /**
     * Whether the peer would be refused now because its certificate, or an issuer's, has been revoked. It is cheap
     * enough for frequent calls. Callable from any thread, after {@link #identity()}.
     *
     * @return false if nothing can be revoked
     */
    default boolean isRevoked() {
        return false;
    }

    /**
     * Whether the peer's certificate has expired since the handshake. The caller then ends the connection. It is cheap,
     * like {@link #isRevoked()}. Callable from any thread, after {@link #identity()}.
     *
     * @return false if no certificate is the proof
     */
    default boolean isExpired() {
        return false;
    }
}
