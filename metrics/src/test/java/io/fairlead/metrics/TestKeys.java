package io.fairlead.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Keys of a server on localhost and of a client, each trusting the other, made by the JDK's keytool. */
final class TestKeys {
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final KeyStore server;
    private final KeyStore client;

    private TestKeys(KeyStore server, KeyStore client) {
        this.server = server;
        this.client = client;
    }

    static TestKeys make(Path folder) throws Exception {
        return new TestKeys(pair(folder.resolve("server.p12")), pair(folder.resolve("client.p12")));
    }

    private static KeyStore pair(Path file) throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "own",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost",
                        "-validity",
                        "30",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, keytool.waitFor(), said);
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD);
            return store;
        }
    }

    /** Shows the server's certificate, and trusts the client's. */
    SSLContext server() {
        return context(server, client);
    }

    /** Shows the client's certificate, and trusts the server's. */
    SSLContext client() {
        return context(client, server);
    }

    /** Trusts the server and shows nothing. */
    SSLContext stranger() {
        return context(null, server);
    }

    private static SSLContext context(@Nullable KeyStore own, KeyStore other) {
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
            keys.init(own, PASSWORD);
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("other", other.getCertificate("own"));
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException refused) {
            throw new IllegalStateException("keys of the test cannot be used", refused);
        }
    }
}
