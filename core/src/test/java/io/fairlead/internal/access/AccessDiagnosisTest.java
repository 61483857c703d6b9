package io.fairlead.internal.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Diagnosis.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessDiagnosisTest {
    private static final String RULES = "rules = [ { identity = \"dns:feed.example.org\", connect = true } ]\n";

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void nameTheFile() {
        file = folder.resolve("acl.conf");
    }

    private void write(String text, String mode) throws IOException {
        Files.setPosixFilePermissions(Files.writeString(file, text), PosixFilePermissions.fromString(mode));
    }

    private Diagnosis finding() {
        List<Diagnosis> findings =
                AccessDiagnosis.of(FairleadConfig.defaults().with(ConfigKeys.SECURITY_ACL, file.toString()));
        assertEquals(1, findings.size(), findings::toString);
        assertEquals("acl", findings.getFirst().name());
        return findings.getFirst();
    }

    @Test
    void shouldHaveNothingAgainstRulesThatOnlyTheirOwnerCanWrite() throws IOException {
        write(RULES, "rw-r--r--");

        assertEquals(
                Diagnosis.ok("acl", "read, and only its owner can write it: file=" + file + ", rules=1"), finding());
    }

    @Test
    void shouldSayThatNoRulesAreConfigured() {
        assertEquals(
                List.of(Diagnosis.ok("acl", "no rules are configured: security.acl is empty")),
                AccessDiagnosis.of(FairleadConfig.defaults()));
    }

    @Test
    void shouldTellWhereAFileIsMalformed() throws IOException {
        write("rules = [\n  { identity = \"dns:feed.example.org\", conect = true }\n]\n", "rw-r--r--");

        Diagnosis finding = finding();

        assertEquals(Level.FAILURE, finding.level());
        assertTrue(
                finding.finding().contains("unknown key: key=conect, did you mean connect?")
                        && finding.finding().contains("acl.conf:2"),
                finding::toString);
    }

    @Test
    void shouldFailForAFileThatIsNotThereOrCannotBeRead() throws IOException {
        Diagnosis missing = finding();
        Files.createDirectory(file);
        Diagnosis directory = finding();

        assertEquals(Level.FAILURE, missing.level());
        assertTrue(missing.finding().startsWith("access file does not exist: file=" + file), missing::toString);
        assertEquals(Level.FAILURE, directory.level());
        assertTrue(directory.finding().startsWith("access file is not a regular file: file="), directory::toString);
    }

    @Test
    void shouldFailForAFileThatAllUsersCanWrite() throws IOException {
        write(RULES, "rw-r--rw-");

        assertEquals(
                Diagnosis.failure(
                        "acl",
                        "all users of this host can write the rules and let anybody in: file=" + file,
                        "chmod o-w " + file),
                finding());
    }

    @Test
    void shouldFailForAFileThatItsGroupCanWrite() throws IOException {
        write(RULES, "rw-rw-r--");

        assertEquals(
                Diagnosis.failure(
                        "acl",
                        "the group of the file can write the rules and let anybody in: file=" + file,
                        "chmod g-w " + file),
                finding());
    }

    @Test
    void shouldFailForAFolderInWhichAllUsersCanReplaceTheFile() throws IOException {
        write(RULES, "rw-r--r--");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertEquals(
                Diagnosis.failure(
                        "acl",
                        "all users of this host can replace the rules and let anybody in: folder=" + folder,
                        "chmod o-w " + folder),
                finding());

        // As of /tmp: files there are replaced by their owners alone.
        Files.setAttribute(folder, "unix:mode", Integer.parseInt("1777", 8));
        assertEquals(Level.OK, finding().level());
    }

    @Test
    void shouldWarnOfAFileWithoutRules() throws IOException {
        write("rules = []\n", "rw-r--r--");

        assertEquals(
                Diagnosis.warning(
                        "acl", "has no rule, so that every peer is refused: file=" + file, "add rules to the file"),
                finding());
    }
}
