package io.fairlead.security.internal.tls;

import io.fairlead.security.internal.files.KeyMaterial;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Presents the only certificate, whatever authorities the peer names: the peer checks it by its own trust, and both
 * sides can then report a fault. Immutable.
 */
final class OwnKey extends X509ExtendedKeyManager {
    private static final String ALIAS = "own";

    private final KeyMaterial material;

    OwnKey(KeyMaterial material) {
        this.material = material;
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String @Nullable [] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return keyTypes != null && Arrays.stream(keyTypes).anyMatch(this::isOfType) ? ALIAS : null;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            @Nullable String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return keyType != null && isOfType(keyType) ? ALIAS : null;
    }

    private boolean isOfType(String keyType) {
        return keyType.equals(material.key().getAlgorithm())
                || keyType.equals(material.certificate().getPublicKey().getAlgorithm());
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(@Nullable String alias) {
        return ALIAS.equals(alias) ? material.chain().toArray(X509Certificate[]::new) : null;
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(@Nullable String alias) {
        return ALIAS.equals(alias) ? material.key() : null;
    }

    @Override
    public String @Nullable [] getClientAliases(@Nullable String keyType, Principal @Nullable [] issuers) {
        return keyType != null && isOfType(keyType) ? new String[] {ALIAS} : null;
    }

    @Override
    public String @Nullable [] getServerAliases(@Nullable String keyType, Principal @Nullable [] issuers) {
        return getClientAliases(keyType, issuers);
    }

    @Override
    public @Nullable String chooseClientAlias(
            String @Nullable [] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return chooseEngineClientAlias(keyTypes, issuers, null);
    }

    @Override
    public @Nullable String chooseServerAlias(
            @Nullable String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return chooseEngineServerAlias(keyType, issuers, null);
    }
}
