package io.fairlead.system.trust;

import io.fairlead.security.certificates.Credential;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** A peer that is none of Fairlead's, on blocking sockets: it says what it is told to, and trusts everybody. */
final class ForeignTls {
    private static final char[] NO_PASSWORD = {};
    private static final int TIMEOUT_MS = 120_000;

    private ForeignTls() {}

    /** TLS of the JDK with a certificate, or without one. */
    static SSLContext context(Optional<Credential> own) throws GeneralSecurityException, IOException {
        KeyManager[] keys = {};
        if (own.isPresent()) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, NO_PASSWORD);
            store.setKeyEntry("own", own.get().key(), NO_PASSWORD, new Certificate[] {
                own.get().certificate()
            });
            KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
            factory.init(store, NO_PASSWORD);
            keys = factory.getKeyManagers();
        }
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, new TrustManager[] {new Everybody()}, new SecureRandom());
        return context;
    }

    static SSLParameters parameters(String protocol) {
        SSLParameters parameters = new SSLParameters();
        parameters.setProtocols(new String[] {protocol});
        parameters.setApplicationProtocols(new String[] {"fairlead/1"});
        return parameters;
    }

    /** Connects, says something inside TLS, and hears the listener out; what it has heard or how that failed, as text. */
    static CompletableFuture<String> say(SSLContext context, String protocol, InetSocketAddress listener, byte[] said) {
        return elsewhere(() -> {
            SSLSocket socket =
                    (SSLSocket) context.getSocketFactory().createSocket(listener.getAddress(), listener.getPort());
            socket.setSSLParameters(parameters(protocol));
            return talk(socket, said);
        });
    }

    /** The same without TLS. */
    static CompletableFuture<String> sayPlain(InetSocketAddress listener, byte[] said) {
        return elsewhere(() -> talk(new Socket(listener.getAddress(), listener.getPort()), said));
    }

    private static String talk(Socket connected, byte[] said) throws IOException {
        try (Socket socket = connected) {
            socket.setSoTimeout(TIMEOUT_MS);
            ByteArrayOutputStream heard = new ByteArrayOutputStream();
            try {
                socket.getOutputStream().write(said);
                InputStream in = socket.getInputStream();
                for (int next = in.read(); next >= 0; next = in.read()) {
                    heard.write(next);
                }
                heard.writeBytes("the end".getBytes(StandardCharsets.US_ASCII));
            } catch (SocketTimeoutException silence) {
                throw silence;
            } catch (IOException failure) {
                heard.writeBytes(String.valueOf(failure.getMessage()).getBytes(StandardCharsets.UTF_8));
            }
            return heard.toString(StandardCharsets.ISO_8859_1);
        }
    }

    /** Something that blocks. */
    @FunctionalInterface
    interface Blocking<T> {
        T run() throws Exception;
    }

    static <T> CompletableFuture<T> elsewhere(Blocking<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("foreign-peer").start(() -> {
            try {
                result.complete(task.run());
            } catch (Throwable failure) {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    private static final class Everybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
