package io.fairlead.security.internal.files;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;

/**
 * The consistent contents of the files.
 *
 * @param key the private key of this side
 * @param chain the own certificate first, then those up to its authority
 * @param authorities the trusted authorities of peers; empty if a secret is the proof
 * @param revocations the revoked certificates
 * @param secrets the shared secrets, the one to prove first; empty if certificates are the proof
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
     * Whether secrets are the proof, and the certificate was created ad hoc.
     *
     * @return whether there are secrets
     */
    public boolean isBySecret() {
        return !secrets.isEmpty();
    }

    /**
     * A copy with other revocations.
     *
     * @param newer the revoked certificates
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
