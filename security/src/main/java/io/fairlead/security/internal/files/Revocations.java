package io.fairlead.security.internal.files;

import io.fairlead.security.internal.pem.Pem;
import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The revoked certificates: by serial number, or by revocation lists of the authorities. Immutable. */
public final class Revocations {
    /** None. */
    public static final Revocations NONE = new Revocations(Set.of(), List.of());

    private static final int DIGITS_MAX = 40;

    // Compiled once: a file may have many lines.
    private static final Pattern COMMENT = Pattern.compile("#.*");
    private static final Pattern PREFIX = Pattern.compile("^(serial=|0x)");
    private static final Pattern SERIAL = Pattern.compile("[0-9a-f]{1," + DIGITS_MAX + "}");

    private final Set<BigInteger> serials;
    private final List<X509CRL> lists;

    private Revocations(Set<BigInteger> serials, List<X509CRL> lists) {
        this.serials = Set.copyOf(serials);
        this.lists = List.copyOf(lists);
    }

    /** Reads serial numbers and revocation lists. A list is valid only if one of the authorities has signed it. */
    static Revocations read(NamedFile file, Collection<X509Certificate> authorities) {
        Set<BigInteger> serials = new HashSet<>();
        List<X509CRL> lists = new ArrayList<>();
        try {
            List<Pem.Block> blocks =
                    Pem.read(file.readText(), (line, number) -> addSerial(file, line, number, serials));
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (Pem.Block block : blocks) {
                lists.add(readList(file, block, factory, authorities));
            }
        } catch (GeneralSecurityException | IllegalArgumentException damaged) {
            throw file.problem(
                    "is no revocation list: cause=" + damaged.getMessage(), "take a whole one, in PEM", damaged);
        }
        return new Revocations(serials, lists);
    }

    /** Refuses any line that is not a serial number: skipping it would leave a revoked peer connected. */
    private static void addSerial(NamedFile file, String line, int number, Set<BigInteger> serials) {
        // The formats of openssl x509 -serial, and of a certificate's text.
        String digits = PREFIX.matcher(
                        COMMENT.matcher(line).replaceFirst("").strip().toLowerCase(Locale.ROOT))
                .replaceFirst("")
                .replace(":", "");
        if (digits.isEmpty()) {
            return;
        }
        if (!SERIAL.matcher(digits).matches()) {
            throw file.problem(
                    "has no serial number in line " + number,
                    "write one per line, at most " + DIGITS_MAX
                            + " hexadecimal digits, comments behind #, and revocation lists in PEM alone, as openssl crl"
                            + " writes them");
        }
        serials.add(new BigInteger(digits, 16));
    }

    private static X509CRL readList(
            NamedFile file, Pem.Block block, CertificateFactory factory, Collection<X509Certificate> authorities)
            throws GeneralSecurityException {
        if (!block.label().equals(Pem.REVOCATION_LIST)) {
            throw file.problem(
                    "has a " + block.label(), "leave serial numbers and revocation lists (X509 CRL) alone in it");
        }
        X509CRL list = (X509CRL) factory.generateCRL(new ByteArrayInputStream(block.content()));
        if (authorities.stream().noneMatch(authority -> isSignedBy(list, authority))) {
            throw file.problem(
                    "has a list that no authority of security.trust has signed: issuer="
                            + list.getIssuerX500Principal(),
                    "take one of these authorities' own; name what another one has issued by its serial numbers");
        }
        return list;
    }

    private static boolean isSignedBy(X509CRL list, X509Certificate authority) {
        if (!list.getIssuerX500Principal().equals(authority.getSubjectX500Principal())) {
            return false;
        }
        try {
            list.verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException other) {
            return false;
        }
    }

    /**
     * Whether a certificate is revoked.
     *
     * @param certificate a peer's certificate, or an intermediate authority's
     * @return whether its serial number is listed, or its issuer's list contains it
     */
    public boolean has(X509Certificate certificate) {
        return serials.contains(certificate.getSerialNumber())
                || lists.stream()
                        .filter(list -> list.getIssuerX500Principal().equals(certificate.getIssuerX500Principal()))
                        .anyMatch(list -> list.isRevoked(certificate));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Revocations that && serials.equals(that.serials) && lists.equals(that.lists);
    }

    @Override
    public int hashCode() {
        return Objects.hash(serials, lists);
    }

    /**
     * The number of revocations.
     *
     * @return the number of serial numbers, including the ones in lists
     */
    public int count() {
        return serials.size()
                + lists.stream()
                        .mapToInt(list -> list.getRevokedCertificates() == null
                                ? 0
                                : list.getRevokedCertificates().size())
                        .sum();
    }
}
