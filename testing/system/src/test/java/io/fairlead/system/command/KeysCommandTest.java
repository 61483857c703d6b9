package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.security.certificates.Credential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Keys as an operator makes them, and what the doctor says of them. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class KeysCommandTest {
    @TempDir
    private Path folder;

    private static String run(String... args) throws Exception {
        try (CommandRun command = CommandRun.start(args)) {
            command.assertStatus(0);
            return command.text();
        }
    }

    private static void assertRefused(int status, List<String> parts, String... args) throws Exception {
        try (CommandRun command = CommandRun.start(args)) {
            command.assertStatus(status);
            assertEquals("", command.text());
            assertEquals(1, command.errors().size(), command.errors()::toString);
            for (String part : parts) {
                assertTrue(
                        command.errors().getFirst().contains(part),
                        () -> "expected " + part + " in " + command.errors());
            }
        }
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void shouldMakeKeysThatTheDoctorFindsNothingWrongWith() throws Exception {
        Path keys = folder.resolve("keys");
        String init = run("keys", "init", "--directory", keys.toString());
        assertTrue(init.contains("security.trust = \"" + keys.resolve("ca.pem") + "\"\n"), init);
        assertEquals("rwx------", mode(keys));
        assertEquals("rw-------", mode(keys.resolve("ca-key.pem")));
        assertEquals("rw-r--r--", mode(keys.resolve("ca.pem")));

        String settings = run(
                "keys",
                "node",
                "feed-1",
                "--directory=" + keys,
                "--dns=feed.example.org",
                "--ip=127.0.0.1",
                "--uri=spiffe://example.org/feed");
        assertEquals("rw-------", mode(keys.resolve("feed-1-key.pem")));
        assertTrue(settings.contains("security.certificate = \"" + keys.resolve("feed-1.pem") + "\"\n"), settings);

        // What is printed is a configuration, but for the switch, which is not what this test is about.
        Path config = Files.writeString(
                folder.resolve("fairlead.conf"), settings.replaceFirst("(?m)^security\\.mode.*\\R", ""));
        String healthy = run("doctor", "--config=" + config, "--set=transports=tcp");
        assertTrue(
                healthy.lines().anyMatch(line -> line.matches("ok +certificate +CN=feed-1, valid until .*")), healthy);
        assertTrue(
                healthy.lines().anyMatch(line -> line.matches("ok +chain +leads to .*CN=fairlead-ca-[0-9a-f]{8}")),
                healthy);

        Files.setPosixFilePermissions(keys.resolve("feed-1-key.pem"), PosixFilePermissions.fromString("rw-r--r--"));
        try (CommandRun doctor = CommandRun.start("doctor", "--config=" + config, "--set=transports=tcp")) {
            doctor.assertStatus(1);
            String text = doctor.text();
            assertTrue(
                    text.lines()
                            .anyMatch(line -> line.startsWith("failure")
                                    && line.endsWith("; chmod 600 " + keys.resolve("feed-1-key.pem"))),
                    text);
        }
    }

    /** The command comes without native TLS libraries. */
    @Test
    void shouldSayHowToGetAnEngineThatIsNotThere() throws Exception {
        Path secret = folder.resolve("secret");
        run("keys", "secret", secret.toString());
        try (CommandRun doctor = CommandRun.start(
                "doctor",
                "--set=transports=tcp",
                "--set=security.shared-secret-file=" + secret,
                "--set=security.engine=conscrypt")) {
            doctor.assertStatus(1);
            String text = doctor.text();
            assertTrue(
                    text.lines()
                            .anyMatch(line -> line.startsWith("failure  keys ")
                                    && line.contains("security.engine=conscrypt cannot be used")
                                    && line.endsWith("is not on the class or module path; add it")),
                    text);
        }
    }

    @Test
    void shouldOverwriteNothing() throws Exception {
        run("keys", "init", "--directory", folder.toString());
        String authority = Files.readString(folder.resolve("ca-key.pem"));
        assertRefused(1, List.of("is there already", "ca"), "keys", "init", "--directory", folder.toString());
        assertEquals(authority, Files.readString(folder.resolve("ca-key.pem")));

        Path certificate = Files.writeString(folder.resolve("a.pem"), "mine");
        assertRefused(
                1, List.of("is there already", "file=" + certificate), "keys", "node", "a", "-d", folder.toString());
        assertEquals("mine", Files.readString(certificate));
        assertFalse(Files.exists(folder.resolve("a-key.pem")), "half of a pair");

        Path secret = folder.resolve("secret");
        String settings = run("keys", "secret", secret.toString());
        assertTrue(settings.contains("security.shared-secret-file = \"" + secret + "\""), settings);
        assertEquals("rw-------", mode(secret));
        assertTrue(Files.readString(secret).matches("[0-9a-f]{64}\n"));
        assertRefused(1, List.of("is there already", "file=" + secret), "keys", "secret", secret.toString());
    }

    @Test
    void shouldRenewANodeWithTheNamesThatItHas() throws Exception {
        run("keys", "init", "--directory", folder.toString());
        assertRefused(
                1,
                List.of("cannot be read: file=" + folder.resolve("a.pem"), "leave out --renew"),
                "keys",
                "node",
                "a",
                "--renew",
                "-d",
                folder.toString());
        run(
                "keys",
                "node",
                "a",
                "--dns=a.example.org",
                "--ip=192.0.2.1",
                "--uri=spiffe://example.org/a",
                "-d",
                folder.toString());
        X509Certificate before = certificate("a");

        run("keys", "node", "a", "--renew", "-d", folder.toString());

        X509Certificate after = certificate("a");
        assertNotEquals(before.getSerialNumber(), after.getSerialNumber());
        assertNotEquals(before.getPublicKey(), after.getPublicKey());
        assertEquals(List.copyOf(before.getSubjectAlternativeNames()), List.copyOf(after.getSubjectAlternativeNames()));
        assertEquals("rw-------", mode(folder.resolve("a-key.pem")));
        assertEquals("rw-r--r--", mode(folder.resolve("a.pem")));
    }

    private X509Certificate certificate(String name) throws Exception {
        return Credential.read(
                        Files.readString(folder.resolve(name + ".pem")),
                        Files.readString(folder.resolve(name + "-key.pem")))
                .certificate();
    }

    @Test
    void shouldRefuseWhatItCannotMake() throws Exception {
        assertRefused(
                1,
                List.of("cannot be read: file=" + folder.resolve("ca.pem"), "fairlead keys init"),
                "keys",
                "node",
                "a",
                "-d",
                folder.toString());
        assertRefused(2, List.of("not a name: name=../a"), "keys", "node", "../a", "-d", folder.toString());
        assertRefused(2, List.of("not a DNS name: dns=a b"), "keys", "node", "a", "--dns=a b", "-d", folder.toString());
        assertRefused(
                2, List.of("not an address: --ip=host"), "keys", "node", "a", "--ip=host", "-d", folder.toString());
        assertRefused(
                2, List.of("not an address: --ip=1.2.3"), "keys", "node", "a", "--ip=1.2.3", "-d", folder.toString());
        assertRefused(
                2,
                List.of("not a URI: --uri=a b, Illegal character in path at character 1; write one"),
                "keys",
                "node",
                "a",
                "--uri=a b",
                "-d",
                folder.toString());
        assertRefused(2, List.of("--days=0", "1 to 36500"), "keys", "init", "--days=0", "-d", folder.toString());
        assertRefused(2, List.of("Missing subcommand: init, node or secret"), "keys");
        assertFalse(Files.exists(folder.resolve("ca.pem")));

        run("keys", "init", "--directory", folder.toString());
        Files.writeString(folder.resolve("ca-key.pem"), "");
        assertRefused(
                1, List.of("the authority cannot sign", "PRIVATE KEY"), "keys", "node", "a", "-d", folder.toString());
    }
}
