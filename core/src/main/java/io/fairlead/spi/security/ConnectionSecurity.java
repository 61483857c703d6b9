package io.fairlead.spi.security;

import io.fairlead.PeerIdentity;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * The keys of a context: makes the TLS engines of its connections and tells who their peers are. Thread-safe; any method may be called from a
 * worker's thread and returns without waiting for the network or a disk. What takes long, such as arithmetic with public keys, is in the
 * {@linkplain SSLEngine#getDelegatedTask() delegated tasks} of the engines, which the caller runs elsewhere.
 *
 * <p>An engine belongs to one connection and to its caller, and is not thread-safe. It does TLS 1.3 and nothing older, asks for the application
 * protocol {@value #PROTOCOL}, resumes no earlier connection, and both sides show a certificate.
 */
public interface ConnectionSecurity extends AutoCloseable {
    /** The application protocol (ALPN) that both sides have to agree on. */
    String PROTOCOL = "fairlead/1";

    /**
     * Makes the engine of a connection that this side opens. It verifies that the peer is the host that it was to be, unless the configuration
     * says otherwise or a shared secret is the proof.
     *
     * @param host the name or the address that the caller asked for; it is looked for in the peer's certificate
     * @param port the peer's port
     * @return in client mode, before its handshake
     * @throws io.fairlead.FairleadException {@code CONFIGURATION} if there are no usable keys; {@code CLOSED} after {@link #close()}
     */
    SSLEngine connector(String host, int port);

    /**
     * Makes the engine of a connection that this side has accepted.
     *
     * @return in server mode, before its handshake
     * @throws io.fairlead.FairleadException as {@link #connector}
     */
    SSLEngine listener();

    /**
     * Checks what the handshake has agreed on, and tells who the peer is. The caller asks before it believes anything that the peer says.
     *
     * @param engine one that was made here, whose handshake has ended
     * @return the peer; {@link PeerIdentity#SHARED_SECRET} where a shared secret is the proof, which holds only when the caller has verified that proof
     * @throws SSLException if the handshake has not ended, or agreed on another version or application protocol, or the peer showed no
     *     certificate
     */
    PeerIdentity identity(SSLEngine engine) throws SSLException;

    /**
     * Derives key material that both ends of a connection have and nobody else, by the exporter of TLS 1.3.
     *
     * @param engine one that was made here, whose handshake has ended
     * @param label tells apart what the material is for
     * @param context tells it apart further; may be empty
     * @param length of the material in bytes, 1 to 255 times the length of a SHA-256
     * @return the same bytes at both ends, for each label and context
     * @throws SSLException if the handshake has not ended, or the engine has no exporter
     */
    byte[] export(SSLEngine engine, String label, byte[] context, int length) throws SSLException;

    /**
     * The secret that peers prove to each other once TLS is up. Where there is one, the certificates are made up on the spot and prove nothing.
     *
     * @return a copy, at least 16 bytes long; empty where certificates are the proof
     */
    Optional<byte[]> sharedSecret();

    /**
     * Counts the keys that this context has had. An engine is made with the keys of that moment, or with newer ones.
     *
     * @return grows whenever certificate, key, trust, revocations or the secret have been replaced
     */
    long keysVersion();

    /**
     * How old a connection may get whose keys have been replaced since it was made.
     *
     * @return zero: such a connection never ends for that
     */
    Duration connectionAgeMax();

    /** Stops looking for new keys, and makes no more engines. Those that were made before go on. May be called again. */
    @Override
    void close();
}
