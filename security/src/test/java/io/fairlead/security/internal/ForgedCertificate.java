package io.fairlead.security.internal;

import io.fairlead.security.certificates.Credential;
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.jcajce.JcaX509CRLConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** What the product does not make: certificates of other keys, those that an authority should not have signed, and lists of revoked ones. */
final class ForgedCertificate {
    private static final String ALGORITHM = "SHA256withECDSA";

    private ForgedCertificate() {}

    static Credential withUris(Credential authority, String... uris) throws Exception {
        return of(
                authority,
                "EC",
                Arrays.stream(uris)
                        .map(uri -> new GeneralName(GeneralName.uniformResourceIdentifier, uri))
                        .toArray(GeneralName[]::new));
    }

    /** Of a key of another kind than the product makes, for {@link KeyFolder#HOST}. */
    static Credential withKey(Credential authority, String algorithm) throws Exception {
        return of(authority, algorithm, new GeneralName(GeneralName.dNSName, KeyFolder.HOST));
    }

    /** For one end of connections alone, and {@link KeyFolder#HOST}. */
    static Credential withUse(Credential authority, KeyPurposeId use) throws Exception {
        return of(
                authority,
                "EC",
                Optional.of(new ExtendedKeyUsage(use)),
                new GeneralName(GeneralName.dNSName, KeyFolder.HOST));
    }

    private static Credential of(Credential authority, String algorithm, GeneralName... names) throws Exception {
        return of(authority, algorithm, Optional.empty(), names);
    }

    private static Credential of(
            Credential authority, String algorithm, Optional<ExtendedKeyUsage> use, GeneralName... names)
            throws Exception {
        KeyPair keys = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
        var builder = new JcaX509v3CertificateBuilder(
                authority.certificate(),
                BigInteger.TEN,
                Date.from(Instant.now().minus(Duration.ofMinutes(1))),
                Date.from(Instant.now().plus(Duration.ofDays(30))),
                new X500Principal("CN=forged"),
                keys.getPublic());
        builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
        if (use.isPresent()) {
            builder.addExtension(Extension.extendedKeyUsage, false, use.get());
        }
        return new Credential(
                keys.getPrivate(),
                new JcaX509CertificateConverter()
                        .getCertificate(builder.build(new JcaContentSignerBuilder(ALGORITHM).build(authority.key()))));
    }

    /** A revocation list of an authority, in DER. */
    static byte[] revocationList(Credential authority, BigInteger... serials) throws Exception {
        Date now = Date.from(Instant.now());
        JcaX509v2CRLBuilder builder = new JcaX509v2CRLBuilder(authority.certificate(), now);
        builder.setNextUpdate(Date.from(Instant.now().plus(Duration.ofDays(1))));
        for (BigInteger serial : serials) {
            builder.addCRLEntry(serial, now, 0);
        }
        return new JcaX509CRLConverter()
                .getCRL(builder.build(new JcaContentSignerBuilder(ALGORITHM).build(authority.key())))
                .getEncoded();
    }
}
