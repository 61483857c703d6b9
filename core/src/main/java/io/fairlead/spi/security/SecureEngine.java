package io.fairlead.spi.security;

import io.fairlead.PeerIdentity;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * The TLS engine of one connection, with the keys that it was made with. All answers are about these keys, also after the context has got newer
 * ones. It belongs to its caller and is not thread-safe, but for {@link #isOutdated()}.
 */
public interface SecureEngine {
    /**
     * The engine, which is in the mode that was asked for and is configured in full.
     *
     * @return the same one each time
     */
    SSLEngine engine();

    /**
     * Checks what the handshake has agreed on, and tells who the peer is. The caller asks before it believes anything that the peer says.
     *
     * @return the peer; {@link PeerIdentity#SHARED_SECRET} where a shared secret is the proof, which holds only when the caller has verified that proof
     * @throws SSLException if the handshake has not ended, or agreed on another version or application protocol, or the peer showed no
     *     certificate
     */
    PeerIdentity identity() throws SSLException;

    /**
     * Derives key material that both ends of the connection have and nobody else, by the exporter of TLS 1.3.
     *
     * @param label tells apart what the material is for
     * @param context tells it apart further; may be empty
     * @param length of the material in bytes, 1 to 255 times the length of a SHA-256
     * @return the same bytes at both ends, for each label and context
     * @throws SSLException if the handshake has not ended, or the engine has no exporter
     */
    byte[] export(String label, byte[] context, int length) throws SSLException;

    /**
     * The secrets of which both peers prove one to each other once TLS is up. Where there are any, the certificates are made up on the spot and prove nothing. While a
     * secret is replaced there are two: the first is the one that a connector proves, and a peer may prove either.
     *
     * @return copies, each as random as a key of 32 bytes; empty where certificates are the proof
     */
    List<byte[]> sharedSecrets();

    /**
     * Whether the context has got other keys since the engine was made: another certificate, key, trust or secret. A new list of revocations alone
     * makes no engine outdated. Any thread may ask.
     *
     * @return once true, always true
     */
    boolean isOutdated();

    /**
     * Whether the peer would be refused now because its certificate, or one between it and its authority, has been revoked. It costs little, so that
     * the caller may ask all the time. Any thread may ask, after {@link #identity()}.
     *
     * @return false where nothing can be revoked
     */
    default boolean isRevoked() {
        return false;
    }

    /**
     * Whether the peer's certificate has expired since it was shown. The caller ends the connection then. It costs little, as {@link #isRevoked()}. Any thread may ask,
     * after {@link #identity()}.
     *
     * @return false where no certificate is the proof
     */
    default boolean isExpired() {
        return false;
    }
}
