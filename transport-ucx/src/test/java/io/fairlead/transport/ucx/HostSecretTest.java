package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The processes of a user know each other's signatures, whatever becomes of the folder of their secret. Each secret here plays a process. */
@Timeout(60)
final class HostSecretTest {
    private static final byte[] WORDS = "an address".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    private Path folder;

    private Path plain;

    @BeforeEach
    void name() throws IOException {
        plain = folder.resolve("fairlead-secret-" + Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    @Test
    void shouldKeepOneFileThatOnlyItsUserCanRead() throws IOException {
        HostSecret first = HostSecret.open(folder);
        HostSecret second = HostSecret.open(folder);
        assertMeet(first, second);
        assertEquals(List.of(plain), files());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(plain)));
    }

    @Test
    void shouldKeepItsFileWhereTheThreadIsInterrupted() {
        Thread.currentThread().interrupt();
        HostSecret secret = HostSecret.open(folder);
        // Asked without the interrupt it would look again, and succeed.
        assertEquals("", secret.problem());
        assertTrue(Thread.interrupted(), "the interrupt is lost");
        Thread.currentThread().interrupt();
        byte[] signed = secret.withSignature(WORDS);
        assertTrue(Thread.interrupted(), "the interrupt is lost");
        assertTrue(HostSecret.open(folder).signed(signed));
    }

    @Test
    void shouldRefuseWhatWasChanged() {
        HostSecret secret = HostSecret.open(folder);
        byte[] signed = secret.withSignature(WORDS);
        for (int i = 0; i < signed.length; i++) {
            byte[] changed = signed.clone();
            changed[i] ^= 1;
            assertFalse(secret.signed(changed), "changed at " + i);
        }
        assertFalse(secret.signed(new byte[HostSecret.LENGTH - 1]));
    }

    @Test
    void shouldPutItsKeyBackWhereTheFolderIsCleaned() throws IOException {
        HostSecret running = HostSecret.open(folder);
        byte[] earlier = running.withSignature(WORDS);
        Files.delete(plain);
        byte[] later = running.withSignature(WORDS);
        HostSecret started = HostSecret.open(folder);
        assertTrue(started.signed(earlier));
        assertTrue(started.signed(later));
        assertMeet(running, started);
    }

    @Test
    void shouldTakeOverAKeyThatWasMadeAfterACleaning() throws IOException {
        HostSecret running = HostSecret.open(folder);
        HostSecret idle = HostSecret.open(folder);
        byte[] earlier = running.withSignature(WORDS);
        Files.delete(plain);
        HostSecret started = HostSecret.open(folder);
        assertMeet(running, started);
        assertTrue(idle.signed(started.withSignature(WORDS)), "a process that only verifies");
        assertMeet(running, idle);
        assertTrue(idle.signed(earlier), "what was signed before the cleaning");
        assertEquals(List.of(plain), files());
    }

    @Test
    void shouldUseAnotherNameWhereAFileThatOthersCanReadIsFirst() throws IOException {
        byte[] known = new byte[32];
        Files.write(plain, known);
        Files.setPosixFilePermissions(plain, PosixFilePermissions.fromString("rw-r--r--"));
        assertDistrusted(known);
    }

    @Test
    void shouldUseAnotherNameWhereAnotherUserIsFirst() throws IOException {
        byte[] known = new byte[32];
        Files.write(plain, known);
        Files.setPosixFilePermissions(plain, PosixFilePermissions.fromString("rw-------"));
        assumeTrue(belongsToAnother(plain), "only root can give a file away");
        assertDistrusted(known);
    }

    private static boolean belongsToAnother(Path file) {
        try {
            Files.setAttribute(file, "unix:uid", 65_534, LinkOption.NOFOLLOW_LINKS);
            return true;
        } catch (IOException notAllowed) {
            return false;
        }
    }

    @Test
    void shouldUseAnotherNameWhereALinkIsFirst() throws IOException {
        byte[] known = new byte[32];
        Path target = folder.resolve("somewhere");
        Files.write(target, known);
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-------"));
        Files.createSymbolicLink(plain, target);
        assertDistrusted(known);
    }

    @Test
    void shouldUseAnotherNameWhereTheFileIsDamaged() throws IOException {
        byte[] known = new byte[31];
        Files.write(plain, known);
        Files.setPosixFilePermissions(plain, PosixFilePermissions.fromString("rw-------"));
        assertDistrusted(known);
    }

    /** The file under the plain name is worth nothing, and the processes meet by another one. */
    private void assertDistrusted(byte[] known) throws IOException {
        HostSecret first = HostSecret.open(folder);
        HostSecret second = HostSecret.open(folder);
        assertMeet(first, second);
        assertFalse(first.signed(signedBy(known)), "believes who knows a file that is not trusted");
        assertArrayEquals(known, Files.readAllBytes(plain), "not its to change");
    }

    private static byte[] signedBy(byte[] key) throws IOException {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            byte[] signed = Arrays.copyOf(WORDS, WORDS.length + HostSecret.LENGTH);
            System.arraycopy(mac.doFinal(WORDS), 0, signed, WORDS.length, HostSecret.LENGTH);
            return signed;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    @Test
    void shouldMeetWhereEachHasMadeAFile() throws IOException {
        Files.createDirectory(plain);
        HostSecret first = HostSecret.open(folder);
        Path made =
                files().stream().filter(file -> !file.equals(plain)).findFirst().orElseThrow();
        Path aside = folder.resolve("aside");
        Files.move(made, aside);
        HostSecret second = HostSecret.open(folder);
        Files.move(aside, made);
        assertMeet(second, first);
        assertMeet(first, HostSecret.open(folder));
    }

    @Test
    void shouldFinishAFileThatItsMakerHasLeftEmpty() throws IOException {
        Files.createFile(plain, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        assertMeet(HostSecret.open(folder), HostSecret.open(folder));
        assertEquals(List.of(plain), files());
    }

    @Test
    void shouldAgreeThoughManyBeginAtOnceWhereThereIsRoomForOneFile() throws Exception {
        List<String> inMount =
                List.of("unshare", "--mount", "sh", "-c", "mount -t tmpfs -o size=4k tmpfs \"$0\" && exec \"$@\"");
        List<String> command = new ArrayList<>(inMount);
        command.add(folder.toString());
        command.add("true");
        assumeTrue(run(command).isEmpty(), "this user may mount nothing, not even for itself");
        command.removeLast();
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path"),
                HostSecretProgram.class.getName(),
                folder.toString()));
        assertEquals("all agreed", run(command).strip());
    }

    /** What it printed; what it could not be started for. */
    private static String run(List<String> command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return output;
        } catch (IOException notInstalled) {
            return notInstalled.toString();
        }
    }

    @Test
    void shouldSayThatAnotherFolderIsAnotherSecret() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        HostSecret here = HostSecret.open(folder);
        HostSecret there = HostSecret.open(elsewhere);
        byte[] signed = there.withSignature(WORDS);
        assertFalse(here.signed(signed));
        String why = here.mistrust(signed, there.place(), "listener", "connector");
        assertTrue(why.startsWith("the two processes do not share " + folder), why);
        assertTrue(why.endsWith("share it between the containers"), why);
    }

    @Test
    void shouldSayThatThePeerHasNoSecret() {
        HostSecret here = HostSecret.open(folder);
        byte[] unsigned = Arrays.copyOf(WORDS, WORDS.length + HostSecret.LENGTH);
        assertEquals(
                "the connector can keep no secret in " + folder + "; " + HostSecret.REMEDY,
                here.mistrust(unsigned, here.place(), "listener", "connector"));
    }

    @Test
    void shouldSayNothingOfAForgedSignature() {
        HostSecret here = HostSecret.open(folder);
        byte[] forged = here.withSignature(WORDS);
        forged[forged.length - 1] ^= 1;
        assertEquals("", here.mistrust(forged, here.place(), "listener", "connector"));
    }

    @Test
    void shouldSayThatItHasNoSecretItself() {
        HostSecret none = HostSecret.open(folder.resolve("missing"));
        HostSecret peer = HostSecret.open(folder);
        String why = none.mistrust(peer.withSignature(WORDS), peer.place(), "listener", "connector");
        assertTrue(why.startsWith("at the listener no secret can be kept in "), why);
        assertTrue(why.endsWith(HostSecret.REMEDY), why);
    }

    @Test
    void shouldTellWhyNothingCanBeSigned() {
        HostSecret secret = HostSecret.open(folder.resolve("missing"));
        assertTrue(secret.problem().startsWith("no secret can be kept in " + folder), secret::problem);
        assertFalse(secret.signed(secret.withSignature(WORDS)));
        assertFalse(HostSecret.open(folder).signed(secret.withSignature(WORDS)));
    }

    private static void assertMeet(HostSecret one, HostSecret other) {
        assertEquals("", one.problem());
        assertEquals("", other.problem());
        assertTrue(other.signed(one.withSignature(WORDS)));
        assertTrue(one.signed(other.withSignature(WORDS)));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }
}
