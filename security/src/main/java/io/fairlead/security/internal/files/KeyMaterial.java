package io.fairlead.security.internal.files;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What was read from the files, and fits together.
 *
 * @param key the private key of this side
 * @param chain its certificate first, then those up to its authority
 * @param authorities whose certificates are accepted of peers; empty where a secret is the proof
 * @param revocations which of them are not
 * @param secret what all peers have; empty where certificates are the proof
 */
public record KeyMaterial(
        PrivateKey key,
        List<X509Certificate> chain,
        Set<X509Certificate> authorities,
        Revocations revocations,
        Optional<byte[]> secret) {
    /** Copies the lists. */
    public KeyMaterial {
        chain = List.copyOf(chain);
        authorities = Set.copyOf(authorities);
    }

    /**
     * The certificate of this side.
     *
     * @return the first of the chain
     */
    public X509Certificate certificate() {
        return chain.getFirst();
    }
}
