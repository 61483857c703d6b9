package io.fairlead.security.internal.tls;

import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The beginning of a key's identifier in certificates: it distinguishes authorities with the same name. */
final class KeyNumber {
    private static final String OF_SUBJECT = "2.5.29.14";
    private static final String OF_AUTHORITY = "2.5.29.35";
    private static final int OCTETS = 0x04;
    private static final int SEQUENCE = 0x30;
    private static final int KEY_IDENTIFIER = 0x80;
    /** Shorter lengths are encoded in one byte. */
    private static final int SHORT_LENGTH = 0x80;

    private static final int SHOWN_BYTES = 8;

    private KeyNumber() {}

    /** The identifier of a certificate's key; empty if it has none. */
    static Optional<String> ofSubject(X509Certificate certificate) {
        return inside(certificate.getExtensionValue(OF_SUBJECT), OCTETS, OCTETS);
    }

    /** The identifier of the key that signed a certificate; empty if it has none. */
    static Optional<String> ofAuthority(X509Certificate certificate) {
        return inside(certificate.getExtensionValue(OF_AUTHORITY), OCTETS, SEQUENCE, KEY_IDENTIFIER);
    }

    /** The DER content within nested first elements. */
    private static Optional<String> inside(byte @Nullable [] der, int... tags) {
        int at = 0;
        int end = der == null ? 0 : der.length;
        for (int tag : tags) {
            if (der == null || end - at < 2 || Byte.toUnsignedInt(der[at]) != tag) {
                return Optional.empty();
            }
            int length = Byte.toUnsignedInt(der[at + 1]);
            at += 2;
            if (length >= SHORT_LENGTH || length > end - at) {
                return Optional.empty();
            }
            end = at + length;
        }
        return der == null || end == at
                ? Optional.empty()
                : Optional.of(HexFormat.of().formatHex(Arrays.copyOfRange(der, at, Math.min(end, at + SHOWN_BYTES))));
    }
}
