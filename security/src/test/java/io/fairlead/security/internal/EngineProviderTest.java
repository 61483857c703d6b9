package io.fairlead.security.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.Credential;
import io.fairlead.security.engine.EngineProvider;
import io.fairlead.security.engine.Engines;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the service provider interface asks of each engine. */
@Timeout(60)
final class EngineProviderTest {
    /** A session that is resumed shows no certificate, so that one revoked since would go on. */
    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void shouldJudgeThePeerAnewForEachConnection(String name) throws Exception {
        EngineProvider provider = EngineChoice.of(FairleadConfig.defaults().with(SecurityKeys.ENGINE, name));
        assertTrue(provider.availability().available(), provider.availability()::cause);
        Counting trust = new Counting();
        Engines engines = provider.open(new Own(Credential.selfSigned("own")), trust);
        for (int connection = 1; connection <= 3; connection++) {
            SSLEngine listener = engines.server();
            SSLParameters parameters = listener.getSSLParameters();
            parameters.setNeedClientAuth(true);
            listener.setSSLParameters(parameters);
            EnginePair.shake(engines.client(KeyFolder.HOST, 7400), listener).assertConnected();
            assertEquals(connection, trust.listeners.get());
            assertEquals(connection, trust.connectors.get());
        }
    }

    private static final class Counting extends EverybodyTrusted {
        private final AtomicInteger listeners = new AtomicInteger();
        private final AtomicInteger connectors = new AtomicInteger();

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine) {
            connectors.incrementAndGet();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine) {
            listeners.incrementAndGet();
        }
    }

    private static final class Own extends X509ExtendedKeyManager {
        private final Credential credential;

        Own(Credential credential) {
            this.credential = credential;
        }

        @Override
        public String chooseEngineClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return "own";
        }

        @Override
        public @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return keyType.equals("EC") ? "own" : null;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return new X509Certificate[] {credential.certificate()};
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return credential.key();
        }

        @Override
        public String[] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {"own"};
        }

        @Override
        public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {"own"};
        }

        @Override
        public String chooseClientAlias(String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return "own";
        }

        @Override
        public String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return "own";
        }
    }
}
