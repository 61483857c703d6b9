package io.fairlead.internal.tls;

import io.fairlead.PeerIdentity;
import io.fairlead.spi.security.SecureEngine;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLEngine;

/**
 * An engine without keys: what it exports is the same for each connection, so that an input can hold the proof of the secret.
 *
 * @param engine the engine
 * @param hasSecret whether peers prove a secret
 */
record OpenSecureEngine(SSLEngine engine, boolean hasSecret) implements SecureEngine {
    static final byte[] SECRET = "a secret of more than sixteen bytes".getBytes(StandardCharsets.US_ASCII);

    @Override
    public PeerIdentity identity() {
        return hasSecret ? PeerIdentity.SHARED_SECRET : PeerIdentity.named("CN=open");
    }

    @Override
    public byte[] export(String label, byte[] context, int length) {
        return exported(length);
    }

    static byte[] exported(int length) {
        return new byte[length];
    }

    @Override
    public List<byte[]> sharedSecrets() {
        return hasSecret ? List.of(SECRET.clone()) : List.of();
    }

    @Override
    public boolean isOutdated() {
        return false;
    }
}
