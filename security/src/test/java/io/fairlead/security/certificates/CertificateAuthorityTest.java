package io.fairlead.security.certificates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class CertificateAuthorityTest {
    private static final Duration YEAR = Duration.ofDays(365);

    private final Credential own = CertificateAuthority.create("test-ca", YEAR);
    private final CertificateAuthority authority = new CertificateAuthority(own);

    private static CertificateRequest request(String name, List<String> dns, List<URI> uris) {
        return new CertificateRequest(name, dns, List.of(InetAddress.ofLiteral("192.0.2.1")), uris, Duration.ofDays(1));
    }

    @Test
    void shouldIssueCertificatesForBothEndsWithTheNamesThatWereAskedFor() throws Exception {
        X509Certificate node = authority
                .issue(request("node", List.of("*.example.org"), List.of(URI.create("spiffe://example.org/node"))))
                .certificate();

        node.verify(own.certificate().getPublicKey());
        assertEquals("CN=node", node.getSubjectX500Principal().getName());
        assertEquals("CN=test-ca", node.getIssuerX500Principal().getName());
        assertEquals(-1, node.getBasicConstraints());
        assertEquals(Set.of("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"), new HashSet<>(node.getExtendedKeyUsage()));
        Collection<List<?>> names = Objects.requireNonNull(node.getSubjectAlternativeNames());
        assertEquals(
                Set.of(List.of(2, "*.example.org"), List.of(7, "192.0.2.1"), List.of(6, "spiffe://example.org/node")),
                new HashSet<>(names));
        assertEquals(127, node.getSerialNumber().bitLength());
    }

    @Test
    void shouldNotOutliveTheAuthority() {
        Credential node =
                authority.issue(new CertificateRequest("node", List.of(), List.of(), List.of(), YEAR.multipliedBy(2)));
        assertEquals(own.certificate().getNotAfter(), node.certificate().getNotAfter());
    }

    @Test
    void shouldMakeAnotherKeyAndSerialEachTime() {
        Credential one = authority.issue(request("node", List.of(), List.of()));
        Credential two = authority.issue(request("node", List.of(), List.of()));
        assertNotEquals(one.key(), two.key());
        assertNotEquals(one.certificate().getSerialNumber(), two.certificate().getSerialNumber());
    }

    @Test
    void shouldReadWhatItHasWritten() {
        Credential read = Credential.read(own.certificatePem(), own.keyPem());
        assertEquals(own, read);
        assertEquals("CN=test-ca", read.toString());
        assertThrows(IllegalArgumentException.class, () -> Credential.read(own.keyPem(), own.certificatePem()));
    }

    @Test
    void shouldSignWithItsOwnKeyOnly() {
        Credential other = CertificateAuthority.create("other-ca", YEAR);
        Credential mixed = new Credential(other.key(), own.certificate());
        assertTrue(assertThrows(IllegalArgumentException.class, () -> new CertificateAuthority(mixed))
                .getMessage()
                .contains("not the key of the authority"));
        Credential node = authority.issue(request("node", List.of(), List.of()));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> new CertificateAuthority(node))
                .getMessage()
                .contains("not the certificate of an authority"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "../a", "-a", "a/b", "a,b", "ä"})
    void shouldRefuseWhatIsNoName(String name) {
        assertThrows(IllegalArgumentException.class, () -> request(name, List.of(), List.of()));
        assertThrows(IllegalArgumentException.class, () -> CertificateAuthority.create(name, YEAR));
        assertThrows(IllegalArgumentException.class, () -> request("a".repeat(65), List.of(), List.of()));
        assertEquals(64, request("a".repeat(64), List.of(), List.of()).name().length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a..b", "-a", "a.*.b", "*", "a_b", ".a"})
    void shouldRefuseWhatIsNoDnsName(String dns) {
        assertThrows(IllegalArgumentException.class, () -> request("node", List.of(dns), List.of()));
    }

    @Test
    void shouldRefuseIdentitiesThatNameNobody() {
        URI one = URI.create("spiffe://example.org/one");
        assertThrows(
                IllegalArgumentException.class,
                () -> request("node", List.of(), List.of(one, URI.create("spiffe://example.org/two"))));
        assertThrows(IllegalArgumentException.class, () -> request("node", List.of(), List.of(URI.create("relative"))));
        assertThrows(
                IllegalArgumentException.class, () -> request("node", List.of(), List.of(URI.create("spiffe:one"))));
        assertThrows(
                IllegalArgumentException.class,
                () -> new CertificateRequest("node", List.of(), List.of(), List.of(), Duration.ZERO));
    }
}
