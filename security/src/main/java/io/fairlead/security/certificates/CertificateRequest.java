package io.fairlead.security.certificates;

import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The content of a node's certificate. Immutable.
 *
 * @param name the subject's common name: 1 to 64 of letters, digits, dot, dash and underscore, a letter or digit first
 * @param dnsNames names that connectors verify; a first label of {@code *} matches any
 * @param addresses addresses that connectors verify
 * @param uris its identities, such as a SPIFFE ID
 * @param validity from now, positive
 */
public record CertificateRequest(
        String name, List<String> dnsNames, List<InetAddress> addresses, List<URI> uris, Duration validity) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final Pattern DNS = Pattern.compile(
            "(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*");
    private static final int DNS_MAX = 253;

    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException naming the malformed part
     */
    public CertificateRequest {
        dnsNames = List.copyOf(dnsNames);
        addresses = List.copyOf(addresses);
        uris = List.copyOf(uris);
        Objects.requireNonNull(validity, "validity");
        checkName(name);
        for (String dns : dnsNames) {
            if (dns.length() > DNS_MAX || !DNS.matcher(dns).matches()) {
                throw new IllegalArgumentException(
                        "not a DNS name: dns=" + dns + ", labels of a-z 0-9 - with dots between, the first may be *");
            }
        }
        for (URI uri : uris) {
            if (!uri.isAbsolute() || ("spiffe".equals(uri.getScheme()) && uri.getAuthority() == null)) {
                throw new IllegalArgumentException(
                        "not a URI that names a peer: uri=" + uri + ", such as spiffe://example.org/feed");
            }
        }
        if (uris.stream().filter(uri -> "spiffe".equals(uri.getScheme())).count() > 1) {
            throw new IllegalArgumentException("a certificate has at most one SPIFFE ID: uris=" + uris);
        }
        if (!validity.isPositive()) {
            throw new IllegalArgumentException("not a time that a certificate is valid for: validity=" + validity);
        }
    }

    /**
     * Checks the name of an authority or a node.
     *
     * @param name the common name
     * @throws IllegalArgumentException if it is malformed
     */
    static void checkName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not a name: name=" + name
                    + ", 1 to 64 letters, digits, dots, dashes and underscores, the first a letter or digit");
        }
    }
}
