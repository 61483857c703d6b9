package io.fairlead.security.internal.tls;

import io.fairlead.security.internal.files.KeyMaterial;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import javax.net.ssl.SSLContext;

/** The JDK's TLS for servers of other protocols. */
public final class ServerContext {
    private ServerContext() {}

    /**
     * Prepares a server.
     *
     * @param material its certificate, and the trusted authorities of clients
     * @param clock for expiry
     * @return for servers only
     * @throws GeneralSecurityException if keys or authorities are refused
     */
    public static SSLContext of(KeyMaterial material, InstantSource clock) throws GeneralSecurityException {
        return JdkEngines.context(
                new OwnKey(material), new ClientTrust(new PeerTrust(material, PeerDemand.HOST, clock)));
    }
}
