package io.fairlead.security.internal.files;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;

/**
 * What was read from the files, and fits together.
 *
 * @param key the private key of this side
 * @param chain its certificate first, then those up to its authority
 * @param authorities whose certificates are accepted of peers; empty where a secret is the proof
 * @param revocations which of them are not
 * @param secrets what all peers have one of, the one to prove first; none where certificates are the proof
 */
public record KeyMaterial(
        PrivateKey key,
        List<X509Certificate> chain,
        Set<X509Certificate> authorities,
        Revocations revocations,
        List<byte[]> secrets) {
    /** Copies the lists. */
    public KeyMaterial {
        chain = List.copyOf(chain);
        authorities = Set.copyOf(authorities);
        secrets = List.copyOf(secrets);
    }

    /**
     * Whether secrets are the proof, and the certificate is made up.
     *
     * @return whether there are secrets
     */
    public boolean isBySecret() {
        return !secrets.isEmpty();
    }

    /**
     * The same with other revocations.
     *
     * @param newer what is refused
     * @return a copy
     */
    public KeyMaterial with(Revocations newer) {
        return new KeyMaterial(key, chain, authorities, newer, secrets);
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
