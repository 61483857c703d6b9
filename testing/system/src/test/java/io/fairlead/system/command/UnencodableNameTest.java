package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Under a locale that cannot encode the name of a file, Java finds no such file. */
@Timeout(300)
final class UnencodableNameTest {
    /** In UTF-8, which the shell writes without knowing it. */
    private static final String NAME = "$(printf 'caf\\303\\251')";

    private static final String IN_FOLDER = "mkdir " + NAME + " && cd " + NAME + " && ";

    @TempDir
    private Path folder;

    @Test
    void shouldNotRunWithoutAConfigurationThatIsThere() throws Exception {
        try (CommandRun run = start(IN_FOLDER + "echo security.mode=encrypted > fairlead.conf && exec \"$@\"")) {
            run.assertStatus(2);
            assertTold(
                    run,
                    "configuration file cannot be read, because this JVM cannot use the name of its working"
                            + " directory: file=fairlead.conf, folder=" + folder + "/caf");
        }
    }

    @Test
    void shouldRunWhereThereIsNoConfiguration() throws Exception {
        try (CommandRun run = start(IN_FOLDER + "exec \"$@\"")) {
            run.assertStatus(0);
        }
    }

    @Test
    void shouldReadTheConfigurationWhereTheLocaleHasTheName() throws Exception {
        Path name = folder.resolve("fairlead.conf");
        Files.writeString(name, "no.such.key = 1");
        try (CommandRun run = start("cd " + folder + " && exec \"$@\"")) {
            run.assertStatus(2);
            assertTold(run, "unknown key: key=no.such.key");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "FAIRLEAD_CONFIG, off, configuration file",
        "FAIRLEAD_SECURITY_ACL, off, access file",
        "FAIRLEAD_SECURITY_TRUST, encrypted, the file of security.trust",
    })
    void shouldRefuseANameThatHasNoPath(String variable, String mode, String what) throws Exception {
        String line = "export FAIRLEAD_SECURITY_MODE=" + mode + " " + variable + "=" + NAME + "; exec \"$@\"";
        try (CommandRun run = start(line)) {
            run.assertStatus(2);
            assertTold(run, what + " has a name that this JVM cannot use: file=caf");
        }
    }

    private CommandRun start(String line) throws Exception {
        return CommandRun.startFromShell(
                "cd " + folder + " && " + line, Map.of("LC_ALL", "C", "LANG", "C"), "info", "--policy", "tcp-only");
    }

    private static void assertTold(CommandRun run, String message) {
        assertTrue(
                run.errors().stream().anyMatch(line -> line.startsWith("fairlead: " + message)),
                () -> message + " in " + run.errors());
    }
}
