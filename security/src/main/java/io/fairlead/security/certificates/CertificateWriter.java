package io.fairlead.security.certificates;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Writes one certificate, by Bouncy Castle with the JDK's own cryptography. */
final class CertificateWriter {
    private static final String CURVE = "secp256r1";
    private static final int SERIAL_BITS = 128;
    /** Allows for clock differences between hosts. */
    private static final Duration EARLIER = Duration.ofHours(1);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final X500Name subject;
    private final Instant from;
    private final Instant until;

    private CertificateWriter(X500Name subject, Instant from, Instant until) {
        this.subject = subject;
        this.from = from;
        this.until = until;
    }

    static CertificateWriter of(String name, Duration validity) {
        Instant now = Instant.now();
        X500Name subject = new X500NameBuilder().addRDN(BCStyle.CN, name).build();
        return new CertificateWriter(subject, now.minus(EARLIER), now.plus(validity));
    }

    static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec(CURVE), RANDOM);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("this JDK makes no keys on the curve " + CURVE, missing);
        }
    }

    /** Signs its own certificate, which is no authority's. */
    X509Certificate sign(KeyPair keys) {
        return build(builder(subject, keys.getPublic()), keys.getPrivate());
    }

    X509Certificate authority(KeyPair keys) {
        try {
            JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
            X509v3CertificateBuilder builder = builder(subject, keys.getPublic())
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))
                    .addExtension(
                            Extension.subjectKeyIdentifier,
                            false,
                            identifiers.createSubjectKeyIdentifier(keys.getPublic()));
            return build(builder, keys.getPrivate());
        } catch (GeneralSecurityException | CertIOException unreachable) {
            throw new IllegalStateException("a certificate cannot be written", unreachable);
        }
    }

    X509Certificate node(PublicKey key, CertificateRequest request, X509Certificate issuer, PrivateKey issuerKey) {
        try {
            JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
            Instant end = issuer.getNotAfter().toInstant();
            X509v3CertificateBuilder builder = new CertificateWriter(subject, from, until.isAfter(end) ? end : until)
                    .builder(
                            X500Name.getInstance(
                                    issuer.getSubjectX500Principal().getEncoded()),
                            key)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(new KeyPurposeId[] {
                        KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth
                    }))
                    .addExtension(Extension.subjectKeyIdentifier, false, identifiers.createSubjectKeyIdentifier(key))
                    .addExtension(
                            Extension.authorityKeyIdentifier, false, identifiers.createAuthorityKeyIdentifier(issuer));
            GeneralName[] names = names(request);
            if (names.length > 0) {
                builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
            }
            return build(builder, issuerKey);
        } catch (GeneralSecurityException | CertIOException unreachable) {
            throw new IllegalStateException("a certificate cannot be written", unreachable);
        }
    }

    private static GeneralName[] names(CertificateRequest request) {
        List<GeneralName> names = new ArrayList<>();
        request.dnsNames().forEach(dns -> names.add(new GeneralName(GeneralName.dNSName, dns)));
        request.addresses()
                .forEach(address -> names.add(new GeneralName(GeneralName.iPAddress, address.getHostAddress())));
        request.uris()
                .forEach(uri -> names.add(new GeneralName(GeneralName.uniformResourceIdentifier, uri.toASCIIString())));
        return names.toArray(GeneralName[]::new);
    }

    private X509v3CertificateBuilder builder(X500Name issuer, PublicKey key) {
        // Never zero, and always of the same length.
        BigInteger serial = new BigInteger(SERIAL_BITS - 1, RANDOM).setBit(SERIAL_BITS - 2);
        return new JcaX509v3CertificateBuilder(issuer, serial, Date.from(from), Date.from(until), subject, key);
    }

    private static X509Certificate build(X509v3CertificateBuilder builder, PrivateKey key) {
        String algorithm = key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA";
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder(algorithm).build(key)));
        } catch (OperatorCreationException | GeneralSecurityException refused) {
            throw new IllegalArgumentException(
                    "a certificate cannot be signed with this key: algorithm=" + key.getAlgorithm() + ", cause="
                            + refused.getMessage(),
                    refused);
        }
    }
}
