package io.fairlead.cli.keys;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.security.certificates.CertificateRequest;
import io.fairlead.security.certificates.Credential;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Where a node's key and certificate are kept.
 *
 * @param certificate its file, for all to read
 * @param key its file, for its owner alone
 */
record NodeFiles(Path certificate, Path key) {
    // The kinds of names in a certificate.
    private static final int DNS = 2;
    private static final int URI_NAME = 6;
    private static final int ADDRESS = 7;

    static NodeFiles of(Path folder, String name) {
        return new NodeFiles(folder.resolve(name + ".pem"), folder.resolve(name + "-key.pem"));
    }

    /** Writes both files, or none where one of them is there. */
    void write(Credential node) {
        KeyFiles.writePair(key, node.keyPem(), certificate, node.certificatePem());
    }

    /** Replaces both existing files. A process that finds the new key beside the old certificate keeps its old pair. */
    void replace(Credential node) {
        for (Path file : List.of(certificate, key)) {
            if (!Files.exists(file)) {
                throw CommandFailure.failed("there is no file to renew: file=" + file + "; leave out --renew");
            }
        }
        KeyFiles.replaceSecret(key, node.keyPem());
        KeyFiles.replace(certificate, node.certificatePem());
    }

    /** A request with the names that the certificate has. */
    CertificateRequest sameAgain(String name, Duration validity) {
        X509Certificate before = Credential.read(
                        KeyFiles.read(certificate, "leave out --renew for a node without one"),
                        KeyFiles.read(key, "leave out --renew for a node without one"))
                .certificate();
        List<String> dnsNames = new ArrayList<>();
        List<InetAddress> addresses = new ArrayList<>();
        List<URI> uris = new ArrayList<>();
        for (List<?> entry : names(before)) {
            String text = String.valueOf(entry.get(1));
            switch ((Integer) entry.getFirst()) {
                case DNS -> dnsNames.add(text);
                case URI_NAME -> uris.add(URI.create(text));
                case ADDRESS -> addresses.add(InetAddress.ofLiteral(text));
                default ->
                    throw new IllegalArgumentException("the certificate has a name of another kind: name=" + text
                            + "; give the names by --dns, --ip and --uri");
            }
        }
        return new CertificateRequest(name, dnsNames, addresses, uris, validity);
    }

    private static Collection<List<?>> names(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null ? List.of() : names;
        } catch (CertificateParsingException damaged) {
            throw new IllegalArgumentException("the names of the certificate are damaged: " + damaged.getMessage()
                    + "; give them by --dns, --ip and --uri");
        }
    }
}
