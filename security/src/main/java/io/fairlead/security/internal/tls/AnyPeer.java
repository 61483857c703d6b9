package io.fairlead.security.internal.tls;

import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * Accepts whatever certificate a peer has made up. The proof of the shared secret behind the handshake covers the keys of this very connection, so that
 * somebody in the middle, who has other keys with either side, cannot pass it on.
 */
final class AnyPeer extends EngineTrust {
    @Override
    public void checkClientTrusted(
            X509Certificate @Nullable [] chain, @Nullable String type, @Nullable SSLEngine engine) {
        // See above.
    }

    @Override
    public void checkServerTrusted(
            X509Certificate @Nullable [] chain, @Nullable String type, @Nullable SSLEngine engine) {
        // See above.
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
