package io.fairlead.cli.keys;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.config.ConfigKey;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.CertificateAuthority;
import io.fairlead.security.certificates.CertificateRequest;
import io.fairlead.security.certificates.Credential;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes an authority, the certificates of nodes, or a shared secret. */
@Command(
        name = "keys",
        description =
                "Make the keys with which peers prove who they are: certificates by an authority of your own, or a"
                        + " secret that all of them have. No file is overwritten, except by node --renew.")
public final class KeysCommand implements Runnable {
    private static final int SECRET_BYTES = 32;
    private static final int NAME_BYTES = 4;
    private static final int DAYS_MAX = 36500;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: init, node or secret");
    }

    @Command(
            name = "init",
            description =
                    "Make an authority: ca.pem, which every peer trusts, and ca-key.pem, which signs certificates and"
                            + " belongs on no host that runs nodes.")
    int init(
            @Option(
                            names = {"-d", "--directory"},
                            paramLabel = "FOLDER",
                            defaultValue = "keys",
                            description = "The folder for the files (default: ${DEFAULT-VALUE}).")
                    Path folder,
            @Option(
                            names = "--name",
                            paramLabel = "NAME",
                            description =
                                    "What the authority is called (default: fairlead-ca- and 8 random digits, so that"
                                            + " two can be told apart).")
                    @Nullable String name,
            @Option(
                            names = "--days",
                            paramLabel = "N",
                            defaultValue = "3650",
                            description = "How long it is valid (default: ${DEFAULT-VALUE}).")
                    int days) {
        Duration validity = days(days);
        String called = name == null ? "fairlead-ca-" + randomDigits(NAME_BYTES) : name;
        Credential authority = asked(() -> CertificateAuthority.create(called, validity));
        AuthorityFiles files = new AuthorityFiles(folder);
        KeyFiles.makeFolder(folder);
        KeyFiles.writePair(files.key(), authority.keyPem(), files.certificate(), authority.certificatePem());
        System.out.println("# an authority, valid until "
                + authority.certificate().getNotAfter().toInstant()
                + "; its key signs certificates: keep " + files.key() + " where no node runs\n"
                + "# next: fairlead keys node NAME --directory " + folder);
        System.out.print(KeyFiles.settings(Map.of(SecurityKeys.TRUST.name(), files.certificate())));
        return 0;
    }

    @Command(
            name = "node",
            description =
                    "Make a key and a certificate for one node: NAME.pem and NAME-key.pem, beside the authority's.")
    int node(
            @Parameters(
                            paramLabel = "NAME",
                            description = "What the node is called: the file's and the certificate's name.")
                    String name,
            @Option(
                            names = {"-d", "--directory"},
                            paramLabel = "FOLDER",
                            defaultValue = "keys",
                            description =
                                    "Where fairlead keys init has made the authority (default: ${DEFAULT-VALUE}).")
                    Path folder,
            @Option(
                            names = "--dns",
                            paramLabel = "HOST",
                            description =
                                    "A name that peers connect by; may be given again (default: NAME if no other is given).")
                    @Nullable List<String> dns,
            @Option(
                            names = "--ip",
                            paramLabel = "ADDRESS",
                            description = "An address that peers connect by; may be given again.")
                    @Nullable List<String> addresses,
            @Option(
                            names = "--uri",
                            paramLabel = "URI",
                            description = "Who it is, such as spiffe://example.org/feed; may be given again.")
                    @Nullable List<String> uris,
            @Option(
                            names = "--renew",
                            description =
                                    "Put a new key and certificate in the place of the node's files. Names that are not given"
                                            + " are those of the old certificate.")
                    boolean renew,
            @Option(
                            names = "--days",
                            paramLabel = "N",
                            defaultValue = "365",
                            description = "How long the certificate is valid (default: ${DEFAULT-VALUE}).")
                    int days) {
        List<String> names = dns == null ? List.of() : dns;
        List<InetAddress> literals = addresses == null
                ? List.of()
                : addresses.stream().map(KeysCommand::address).toList();
        List<URI> identities =
                uris == null ? List.of() : uris.stream().map(KeysCommand::uri).toList();
        boolean unnamed = names.isEmpty() && literals.isEmpty() && identities.isEmpty();
        Duration validity = days(days);
        NodeFiles own = NodeFiles.of(folder, name);
        CertificateRequest request = asked(() -> unnamed && renew
                ? own.sameAgain(name, validity)
                : new CertificateRequest(name, unnamed ? List.of(name) : names, literals, identities, validity));
        AuthorityFiles files = new AuthorityFiles(folder);
        Credential node = files.load().issue(request);
        if (renew) {
            own.replace(node);
        } else {
            own.write(node);
        }
        System.out.println("# " + name + ", serial "
                + node.certificate().getSerialNumber().toString(16) + ", valid until "
                + node.certificate().getNotAfter().toInstant());
        Map<ConfigKey<String>, Path> settings = new LinkedHashMap<>();
        settings.put(SecurityKeys.CERTIFICATE, own.certificate());
        settings.put(SecurityKeys.KEY, own.key());
        settings.put(SecurityKeys.TRUST, files.certificate());
        printSettings(settings);
        return 0;
    }

    @Command(
            name = "secret",
            description =
                    "Make a secret of 32 random bytes. Whoever has the file is a peer: copy it to the others over a"
                            + " channel that is safe.")
    int secret(@Parameters(paramLabel = "FILE", description = "The file to write.") Path file) {
        KeyFiles.writeSecret(file, randomDigits(SECRET_BYTES) + "\n");
        printSettings(Map.of(SecurityKeys.SHARED_SECRET_FILE, file));
        return 0;
    }

    private static String randomDigits(int bytes) {
        byte[] random = new byte[bytes];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    private static void printSettings(Map<ConfigKey<String>, Path> files) {
        Map<String, Path> named = new LinkedHashMap<>();
        files.forEach((key, file) -> named.put(key.name(), file));
        System.out.print("security.mode = encrypted\n" + KeyFiles.settings(named));
    }

    private static Duration days(int days) {
        if (days < 1 || days > DAYS_MAX) {
            throw CommandFailure.usage("option out of range: --days=" + days + ", 1 to " + DAYS_MAX + "; change it");
        }
        return Duration.ofDays(days);
    }

    /** A literal address; a host's name is for --dns, and is not looked up. */
    private static InetAddress address(String text) {
        try {
            InetAddress address = InetAddress.ofLiteral(text);
            // A literal of fewer than four parts, such as 1.2.3, is a mistake rather than 1.2.0.3.
            if (text.indexOf(':') >= 0 || text.equals(address.getHostAddress())) {
                return address;
            }
        } catch (IllegalArgumentException other) {
            // As below.
        }
        throw CommandFailure.usage(
                "not an address: --ip=" + text + ", such as 192.0.2.1 or 2001:db8::1; names are for --dns");
    }

    private static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException wrong) {
            throw CommandFailure.usage("not a URI: --uri=" + text + ", " + wrong.getReason() + " at character "
                    + wrong.getIndex() + "; write one such as spiffe://example.org/feed");
        }
    }

    /** What the command line asks for and cannot be made. */
    private static <T> T asked(Supplier<T> make) {
        try {
            return make.get();
        } catch (IllegalArgumentException refused) {
            throw CommandFailure.usage(String.valueOf(refused.getMessage()));
        }
    }
}
