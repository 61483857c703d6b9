package io.fairlead.security.internal.tls;

import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The beginning of what identifies a key in certificates: authorities may have the same name, and their keys tell them apart. */
final class KeyNumber {
    private static final String OF_SUBJECT = "2.5.29.14";
    private static final String OF_AUTHORITY = "2.5.29.35";
    private static final int OCTETS = 0x04;
    private static final int SEQUENCE = 0x30;
    private static final int KEY_IDENTIFIER = 0x80;
    /** Lengths below are one byte long. */
    private static final int SHORT_LENGTH = 0x80;

    private static final int SHOWN_BYTES = 8;

    private KeyNumber() {}

    /** Of the key that a certificate is of; empty if it does not say. */
    static Optional<String> ofSubject(X509Certificate certificate) {
        return inside(certificate.getExtensionValue(OF_SUBJECT), OCTETS, OCTETS);
    }

    /** Of the key that a certificate was signed with; empty if it does not say. */
    static Optional<String> ofAuthority(X509Certificate certificate) {
        return inside(certificate.getExtensionValue(OF_AUTHORITY), OCTETS, SEQUENCE, KEY_IDENTIFIER);
    }

    /** What is in DER within the first of each of some elements. */
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
