package io.fairlead.testkit.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.contract.TransportContract;
import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.commons.support.ReflectionSupport;

/** What every suite needs to start at all, since few machines run them. */
@Timeout(60)
final class RoceSuiteTest {
    /** Suites of a module that is built after this one, and in a guest beside it. */
    private static final Path LAYERS =
            RepositoryRoot.path().resolve("testing/layers/src/main/java/io/fairlead/testkit/layers");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(RoceSuite.class)
    void shouldHaveAScriptThatTheShellReads(RoceSuite suite) throws IOException, InterruptedException {
        assertIsRead(GuestImage.copy(suite.script(), folder));
    }

    @Test
    void shouldHaveLibrariesThatTheShellReads() throws IOException, InterruptedException {
        for (String library : GuestImage.LIBRARIES) {
            if (library.endsWith(".sh")) {
                assertIsRead(GuestImage.copy(library, folder));
            }
        }
    }

    /** A name that no class has would end the guest. */
    @Test
    void shouldSecureContractSuitesThatExist() throws IOException {
        Set<String> missing = new TreeSet<>(secured());
        missing.removeAll(contractSuites());
        missing.removeIf(name -> Files.exists(LAYERS.resolve(name + ".java")));
        assertEquals(Set.of(), missing);
    }

    /** So that a suite which is added later is not forgotten. */
    @Test
    void shouldSecureAllContractSuitesOfConnectingTaggedMessagesAndRemoteMemory() throws IOException {
        Set<String> wanted = contractSuites();
        wanted.removeIf(name -> !name.matches("(Connection|Security|Tagged|Remote).*"));
        assertTrue(wanted.size() > 20, wanted::toString);
        wanted.removeAll(secured());
        assertEquals(Set.of(), wanted);
    }

    private Set<String> secured() throws IOException {
        return Pattern.compile("\\b\\w+Contract\\b")
                .matcher(Files.readString(GuestImage.copy(RoceSuite.SECURE.script(), folder)))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> contractSuites() {
        return ReflectionSupport.streamAllClassesInPackage(
                        TransportContract.class.getPackageName(),
                        type -> TransportContract.class.isAssignableFrom(type)
                                && !Modifier.isAbstract(type.getModifiers()),
                        name -> name.endsWith("Contract"))
                .map(Class::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void shouldKeepTheResultsOfSecuredSuitesFromThoseOfTheContract() {
        assertEquals("results.txt", RoceSuite.CONTRACT.results());
        assertEquals("results-secure.txt", RoceSuite.SECURE.results());
    }

    private static void assertIsRead(Path script) throws IOException, InterruptedException {
        Process shell = new ProcessBuilder("bash", "-n", script.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(shell.waitFor(30, TimeUnit.SECONDS));
        assertEquals(0, shell.exitValue(), said);
    }
}
