package io.fairlead.internal.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.FairleadException;
import io.fairlead.PathPolicy;
import io.fairlead.SecurityMode;
import io.fairlead.config.ConfigKeys;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class ConfigLoaderTest {
    private static final Map<String, String> NO_ENVIRONMENT = Map.of();

    @TempDir
    private Path folder;

    @Test
    void shouldFindNothingWhereNothingIs() {
        assertEquals(Map.of(), load(NO_ENVIRONMENT));
    }

    @Test
    void shouldReadEveryFormOfAValue() throws IOException {
        file("""
                node.name = cache-7
                transports = [tcp, ucx]
                policy = "tcp-only"
                connect { timeout = 7 s }
                liveness.timeout : 300
                worker.operations-max = 32
                endpoint.credit-bytes = 1 MiB
                endpoint { eager-max = 64k, "queue-bytes" = 1.5 MiB }
                "idle.strategy" = Blocking
                close { }
                """);
        Map<String, ConfiguredValue> values = load(NO_ENVIRONMENT);
        assertValue(values, "node.name", "cache-7", 1);
        assertValue(values, "transports", "tcp,ucx", 2);
        assertValue(values, "policy", PathPolicy.TCP_ONLY, 3);
        assertValue(values, "connect.timeout", Duration.ofSeconds(7), 4);
        assertValue(values, "liveness.timeout", Duration.ofMillis(300), 5);
        assertValue(values, "worker.operations-max", 32, 6);
        assertValue(values, "endpoint.credit-bytes", 1 << 20, 7);
        assertValue(values, "endpoint.eager-max", 1 << 16, 8);
        assertValue(values, "endpoint.queue-bytes", 3 << 19, 8);
        assertValue(values, "idle.strategy", "blocking", 9);
        assertEquals(10, values.size());
    }

    @Test
    void shouldLetTheEnvironmentWinOverTheFile() throws IOException {
        file("policy = tcp-only\nliveness.timeout = 1 s");
        Map<String, ConfiguredValue> values = load(Map.of("FAIRLEAD_LIVENESS_TIMEOUT", "3 s", "PATH", "/bin"));
        assertValue(values, "policy", PathPolicy.TCP_ONLY, 1);
        assertEquals(
                new ConfiguredValue(Duration.ofSeconds(3), "environment variable FAIRLEAD_LIVENESS_TIMEOUT"),
                values.get("liveness.timeout"));
    }

    @Test
    void shouldTakeEmptyVariablesForUnset() throws IOException {
        file("policy = tcp-only");
        Map<String, ConfiguredValue> values =
                load(Map.of("FAIRLEAD_POLICY", "", "FAIRLEAD_CONFIG", " ", "FAIRLEAD_NO_SUCH_THING", ""));
        assertValue(values, "policy", PathPolicy.TCP_ONLY, 1);
    }

    @Test
    void shouldReadTheFileThatTheEnvironmentNamesAndNotTheOneInTheFolder() throws IOException {
        file("policy = tcp-only");
        Path other = Files.writeString(folder.resolve("other.conf"), "\npolicy = require-rdma");
        assertEquals(
                Map.of("policy", new ConfiguredValue(PathPolicy.REQUIRE_RDMA, other + ":2")),
                load(Map.of("FAIRLEAD_CONFIG", "other.conf")));
    }

    @Test
    void shouldNameIncludedFilesAndResolveSubstitutions() throws IOException {
        Path shared =
                Files.writeString(folder.resolve("shared.conf"), "\n\nlong = 1 minute\nliveness.timeout = ${long}");
        file("include \"shared.conf\"\nconnect.timeout = ${liveness.timeout}");
        assertRefused(
                "unknown key: key=long; config/fairlead.conf lists all keys, and a transport's keys need its module"
                        + " on the path (" + shared + ":3)");

        Files.writeString(shared, "\n\nliveness.timeout = 1 minute");
        Map<String, ConfiguredValue> values = load(NO_ENVIRONMENT);
        assertEquals(new ConfiguredValue(Duration.ofMinutes(1), shared + ":3"), values.get("liveness.timeout"));
        assertEquals(Duration.ofMinutes(1), values.get("connect.timeout").value());
    }

    /** A process of its own, because its working directory decides what a path without a folder is relative to. */
    @Test
    void shouldIncludeAFileBesideOneThatIsNamedWithoutAFolder() throws Exception {
        Files.writeString(folder.resolve("shared.conf"), "security.mode = encrypted");
        file("include \"shared.conf\"\nconnect.timeout = 3 s");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        absoluteClassPath(),
                        LoadingProgram.class.getName())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), said);
        assertEquals(
                List.of(
                        "security.mode=ENCRYPTED (" + folder.toRealPath().resolve("shared.conf") + ":1)",
                        "connect.timeout=PT3S (fairlead.conf:2)"),
                said.lines()
                        .filter(line -> line.startsWith(LoadingProgram.PREFIX))
                        .map(line -> line.substring(LoadingProgram.PREFIX.length()))
                        .toList(),
                said);
    }

    private static String absoluteClassPath() {
        String separator = System.getProperty("path.separator");
        return Arrays.stream(System.getProperty("java.class.path").split(separator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(separator));
    }

    /** Loads the configuration of its working directory. */
    static final class LoadingProgram {
        private static final String PREFIX = "loaded ";

        private LoadingProgram() {}

        public static void main(String[] arguments) {
            Map<String, ConfiguredValue> values =
                    ConfigLoader.load(ConfigLoader.knownKeys(), NO_ENVIRONMENT, Path.of(""));
            PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
            for (String name : List.of("security.mode", "connect.timeout")) {
                ConfiguredValue value = values.get(name);
                out.println(PREFIX + name + "="
                        + (value == null ? "not set" : value.value() + " (" + value.origin() + ")"));
            }
        }
    }

    @Test
    void shouldRefuseAnEscapeThatIsNoCharacter() throws IOException {
        file("\"q\\u-041\" = 1");
        assertRefused("configuration file has an escape that is no character: ");
    }

    /** Its keys, such as those of security, would silently have their defaults. */
    @Test
    void shouldRefuseToIncludeAFileThatIsMissing() throws IOException {
        Files.createDirectory(folder.resolve("folder"));
        for (String include : List.of("missing.conf", "missing", "folder")) {
            file("include \"" + include + "\"\npolicy = tcp-only");
            assertRefused(
                    "it includes a file that is missing: include=" + include + "; correct its name, or leave it out");
            file("include file(\"" + folder.resolve(include) + "\")");
            assertRefused("it includes a file that is missing: include=" + folder.resolve(include));
        }
    }

    /** The parser takes a file that it cannot open for one that is missing. */
    @Test
    void shouldRefuseToIncludeAFileThatCannotBeRead() throws IOException {
        Path shared = Files.writeString(folder.resolve("shared.conf"), "security.mode = encrypted");
        for (String include : List.of("\"shared.conf\"", "\"shared\"", "file(\"" + shared + "\")")) {
            file("include " + include);
            assertEquals(
                    SecurityMode.ENCRYPTED,
                    load(NO_ENVIRONMENT).get("security.mode").value(),
                    include);
        }
        assumeTrue(shared.toFile().setReadable(false) && !Files.isReadable(shared), "root reads every file");
        for (String include : List.of("\"shared.conf\"", "\"shared\"", "file(\"" + shared + "\")")) {
            file("include " + include);
            assertRefused("it includes a file that this user cannot read: include=" + shared);
        }
    }

    @Test
    void shouldRefuseToIncludeAFileThatHasNoPath() throws IOException {
        file("include \"a\\u0000b\"");
        assertRefused("it includes a file whose name this JVM cannot use: include=a b, sun.jnu.encoding=");
    }

    @Test
    void shouldRefuseANameThatIsNoPath() {
        assertRefused(
                "configuration file has a name that this JVM cannot use: file=a b, sun.jnu.encoding=",
                Map.of("FAIRLEAD_CONFIG", "a\0b"));
    }

    /** Each of these would overflow the parser's stack. */
    @Test
    void shouldRefuseWhatNestsTooDeeply() throws IOException {
        String refused = "configuration file nests too deeply: at most 100 levels (" + folder.resolve("fairlead.conf");
        for (String text : List.of(
                "\na = " + "[".repeat(100_000),
                "\n" + "a{".repeat(100_000),
                "\n" + "a.".repeat(100_000) + "a = 1",
                "\n" + "a.a.a.a.a{".repeat(20_000),
                "a = \"\"\"\n\"\"\"\"" + "[{".repeat(100_000))) {
            file(text);
            assertRefused(refused + ":2)");
        }
        file("# [[[[\n".repeat(200) + "policy = \"" + "[{.".repeat(100) + "\" // \"" + "{".repeat(200));
        assertRefused("policy=[{.");
    }

    @Test
    void shouldTakeAsManyLevelsAsTheLimitAndNoMore() throws IOException {
        file("a" + ".a".repeat(98) + " { a = 1 }");
        assertRefused("unknown key: key=a.a.a");
        file("a" + ".a".repeat(99) + " { a = 1 }");
        assertRefused("nests too deeply");
        file("a = 1,".repeat(500) + "a.a.a = [ 1.1, 2.2 ],".repeat(100));
        assertRefused("unknown key: key=a.a.a");
    }

    @Test
    void shouldRefuseAnIncludedFileThatNestsTooDeeply() throws IOException {
        Files.writeString(folder.resolve("deep.conf"), "a = " + "[".repeat(100_000));
        file("include \"deep.conf\"");
        assertRefused("configuration file includes or refers to too much: file=" + folder.resolve("fairlead.conf"));
    }

    @Test
    void shouldShowTheBeginningOfALongName() throws IOException {
        file("a".repeat(3000) + " = 1");
        assertRefused("unknown key: key=" + "a".repeat(80) + "...; config/fairlead.conf lists all keys, and");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "livenes.timeout = 2 s | unknown key: key=livenes.timeout, did you mean liveness.timeout? (FILE:1)",
                "liveness.timout = 2 s | unknown key: key=liveness.timout, did you mean liveness.timeout? (FILE:1)",
                "endpoint { eager-maximum = 1 } | unknown key: key=endpoint.eager-maximum, did you mean endpoint.eager-max? (FILE:1)",
                "\"pol\\nicy\" = auto | unknown key: key=pol icy, did you mean policy? (FILE:1)",
                "livenes { } | unknown key: key=livenes; config/fairlead.conf lists all keys, and",
                "liveness = 2 s | unknown key: key=liveness; config/fairlead.conf lists all keys (FILE:1)",
                "bogus.key = 1 | unknown key: key=bogus.key; config/fairlead.conf lists all keys, and",
                "policy.x = 1 | unknown key: key=policy.x, did you mean policy? (FILE:1)",
                "policy = { } | policy is a section, not a value: allowed auto, require-rdma, tcp-only or a transport's name (FILE:1)",
                "liveness.timeout = 2x | liveness.timeout=2x is not a duration (units are case-sensitive: ns, us, ms, s, m, h, d): allowed 100 ms to 1 h (FILE:1)",
                "liveness.timeout = 99 | liveness.timeout=99 ms is out of range: allowed 100 ms to 1 h (FILE:1)",
                "liveness.timeout = true | liveness.timeout=true is not a duration (units are case-sensitive: ns, us, ms, s, m, h, d): allowed 100 ms to 1 h (FILE:1)",
                "liveness.timeout = [1, 2] | liveness.timeout=1,2 is not a duration (units are case-sensitive: ns, us, ms, s, m, h, d): allowed 100 ms to 1 h (FILE:1)",
                "liveness.timeout = \"\" | liveness.timeout= is not a duration (units are case-sensitive: ns, us, ms, s, m, h, d): allowed 100 ms to 1 h (FILE:1)",
                "endpoint.eager-max = 17 MiB | endpoint.eager-max=17 MiB is out of range: allowed 0 B to 16 MiB (FILE:1)",
                "endpoints-max = 1.5 | endpoints-max=1.5 is not a whole number: allowed 1 to 65535 (FILE:1)",
                "policy = no way | policy=no way is not valid: allowed auto, require-rdma, tcp-only or a transport's name (FILE:1)",
                "policy = tcp-only, policy = null | policy=null is no value: allowed auto, require-rdma, tcp-only or a transport's name; leave the key out for its default (FILE:1)",
                "security { mode = null } | security.mode=null is no value: allowed ",
                "security = null | unknown key: key=security",
                "connect.timeout = ${?no.such.thing}, policy = auto | ",
                "policy = fastest | policy=fastest is no policy and names no transport on the path: allowed auto, require-rdma, tcp-only (FILE:1)",
                "policy = tpc-only | allowed auto, require-rdma, tcp-only, did you mean tcp-only? (FILE:1)",
                "endpoints-max = 1e3 | ",
                "transports = [tcp, [a]] | ",
                "ucx.tls = rc | unknown key: key=ucx.tls; config/fairlead.conf lists all keys, and a transport's keys need its module on the path (FILE:1)",
                "policy = ${no.such.thing} | configuration file is not valid HOCON: Could not resolve substitution",
                "policy = ${no.such.thing} | (FILE:1)",
                "policy = \"tcp-only | configuration file is not valid HOCON: ",
                "policy { | (FILE:1)"
            })
    void shouldRefuse(String text, String expected) throws IOException {
        Path file = file(text);
        if (expected == null) {
            assertEquals(1, load(NO_ENVIRONMENT).size());
            return;
        }
        assertRefused(expected.replace("FILE", file.toString()));
    }

    @Test
    void shouldNameTheLineOfASyntaxError() throws IOException {
        Path file = file("policy = auto\n\nendpoint {\n  eager-max = 1k = 2\n}\n");
        String message = assertRefused("configuration file is not valid HOCON: ");
        assertTrue(message.endsWith("(" + file + ":4)"), message);
    }

    @Test
    void shouldKeepASyntaxErrorWithControlCharactersOnOneLine() throws IOException {
        Path _ = file("transports -with\u0003out\u009b");
        String message = assertRefused("configuration file is not valid HOCON: ");
        assertTrue(message.chars().noneMatch(Character::isISOControl), message);
    }

    @Test
    void shouldRefuseAPolicyOfTheEnvironmentThatNamesNoTransport() {
        assertEquals(
                "policy=require-rdam is no policy and names no transport on the path: allowed auto, require-rdma, tcp-only,"
                        + " did you mean require-rdma? (environment variable FAIRLEAD_POLICY)",
                assertRefused("policy=", Map.of("FAIRLEAD_POLICY", "require-rdam")));
    }

    @Test
    void shouldTellTheFirstProblemAndCountTheOthers() throws IOException {
        Path file = file("policy = auto\npollicy = auto\nliveness.timeout = 1\n");
        assertEquals(
                "unknown key: key=pollicy, did you mean policy? (" + file + ":2); and 1 more problem",
                assertRefused("unknown key"));
        assertEquals(
                "unknown key: key=pollicy, did you mean policy? (" + file + ":2); and 2 more problems",
                assertRefused("unknown key", Map.of("FAIRLEAD_POLICY", "?")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FAIRLEAD_LIVENESS_TIMEOUT | 2x | liveness.timeout=2x is not a duration (units are case-sensitive: ns, us, ms, s, m, h, d): allowed 100 ms to 1 h (environment variable FAIRLEAD_LIVENESS_TIMEOUT)",
                "FAIRLEAD_LIVENES_TIMEOUT | 2 s | unknown environment variable: variable=FAIRLEAD_LIVENES_TIMEOUT, did you mean FAIRLEAD_LIVENESS_TIMEOUT?",
                "FAIRLEAD_ENDPOINT.EAGER-MAX | 1 | unknown environment variable: variable=FAIRLEAD_ENDPOINT.EAGER-MAX, did you mean FAIRLEAD_ENDPOINT_EAGER_MAX?",
                "FAIRLEAD_UCX_TLS | rc | a transport's keys need its module on the path",
                "FAIRLEAD_ | x | unknown environment variable: variable=FAIRLEAD_; config/fairlead.conf lists all keys",
                "FAIRLEAD_METRCS_PORT | 9400 | unknown environment variable: variable=FAIRLEAD_METRCS_PORT, did you mean FAIRLEAD_METRICS_PORT?",
                "FAIRLEAD_CONFIG | gone.conf | configuration file does not exist: file="
            })
    void shouldRefuseVariable(String variable, String text, String expected) {
        assertRefused(expected, Map.of(variable, text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "FAIRLEAD_JAVA_OPTS",
                "FAIRLEAD_HOME",
                "FAIRLEAD_JAVA_HOME",
                "FAIRLEAD_SECURITY_PASSWORD",
                "FAIRLEAD_SERVICE_HOST",
                "FAIRLEAD_SERVICE_PORT",
                "FAIRLEAD_SERVICE_PORT_METRICS",
                "FAIRLEAD_PORT",
                "FAIRLEAD_PORT_7000_TCP",
                "FAIRLEAD_PORT_7000_TCP_ADDR",
                "FAIRLEAD_CACHE_SERVICE_HOST",
                "FAIRLEAD_CACHE_PORT_7000_UDP_PROTO",
                "fairlead_policy",
                "FAIRLEADER",
                "MY_FAIRLEAD_POLICY"
            })
    void shouldLeaveVariablesOfOthersAlone(String variable) {
        assertEquals(Map.of(), load(Map.of(variable, "tcp://10.0.0.1:7000")));
    }

    @Test
    void shouldRefuseWhatIsNoFileOfText() throws IOException {
        assertRefused(
                "configuration file is not a regular file: file=" + folder
                        + " (named by the environment variable FAIRLEAD_CONFIG)",
                Map.of("FAIRLEAD_CONFIG", folder.toString()));

        Path file = folder.resolve("fairlead.conf");
        Files.write(file, new byte[] {'a', (byte) 0xFF});
        assertRefused("configuration file is not UTF-8: file=" + file + " (found in the working directory)");
    }

    @Test
    void shouldKnowEveryKeyOfTheCore() {
        assertTrue(ConfigLoader.knownKeys().containsAll(ConfigKeys.all()));
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("fairlead.conf"), text);
    }

    private Map<String, ConfiguredValue> load(Map<String, String> environment) {
        return ConfigLoader.load(ConfigKeys.all(), environment, folder);
    }

    private void assertValue(Map<String, ConfiguredValue> values, String name, Object value, int line) {
        assertEquals(new ConfiguredValue(value, folder.resolve("fairlead.conf") + ":" + line), values.get(name));
    }

    private String assertRefused(String expected) {
        return assertRefused(expected, NO_ENVIRONMENT);
    }

    private String assertRefused(String expected, Map<String, String> environment) {
        FairleadException failure = assertThrows(FairleadException.class, () -> load(environment));
        assertEquals(FairleadException.Reason.CONFIGURATION, failure.reason());
        assertTrue(failure.getMessage().contains(expected), failure::getMessage);
        assertEquals(1, failure.getMessage().lines().count());
        return failure.getMessage();
    }
}
