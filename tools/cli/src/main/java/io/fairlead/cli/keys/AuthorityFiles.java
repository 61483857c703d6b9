package io.fairlead.cli.keys;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.security.certificates.CertificateAuthority;
import io.fairlead.security.certificates.Credential;
import java.nio.file.Path;

/**
 * Where an authority is kept.
 *
 * @param folder the folder of its two files
 */
record AuthorityFiles(Path folder) {
    private static final String REMEDY = "fairlead keys init --directory makes an authority";

    Path certificate() {
        return folder.resolve("ca.pem");
    }

    Path key() {
        return folder.resolve("ca-key.pem");
    }

    /** Reads the authority, and checks that its certificate and its key belong together. */
    CertificateAuthority load() {
        String certificatePem = KeyFiles.read(certificate(), REMEDY);
        String keyPem = KeyFiles.read(key(), REMEDY);
        try {
            return new CertificateAuthority(Credential.read(certificatePem, keyPem));
        } catch (IllegalArgumentException unusable) {
            throw CommandFailure.failed("the authority cannot sign: folder=" + folder + ", cause="
                    + unusable.getMessage() + "; restore its files, or make another authority in another folder");
        }
    }
}
