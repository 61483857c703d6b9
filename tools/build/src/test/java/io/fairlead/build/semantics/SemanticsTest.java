package io.fairlead.build.semantics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.build.Repository;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.contract.TransportContract;
import io.fairlead.testkit.layers.LayerSuites;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Holds docs/semantics.md and the contract suites to each other. */
class SemanticsTest {
    private static final Path ROOT = Repository.root();
    private static final Path DOCUMENT = ROOT.resolve("docs/semantics.md");
    private static final boolean REWRITES = "rewrite".equals(System.getProperty("fairlead.semantics"));
    private static final Path RESULTS = ROOT.resolve("docs/contract-results.txt");
    private static final Pattern SENTENCE = Pattern.compile("(?m)^\\*\\*([A-Z]-[0-9]{2,3})\\*\\* (\\S.*)$");
    private static final Pattern MARKER = Pattern.compile("\\*\\*[A-Z]-[0-9]+\\*\\*");
    private static final Pattern RUN = Pattern.compile("(?ms)^@ContractSuites\\b.*?class (\\w+)ContractTest\\b");
    /** What {@code TransportUnderTest.leftOut()} takes from the runs that have a column. */
    private static final Set<String> LEFT_OUT = Set.of(
            "loopback FaultRoundsContract",
            "loopback HostLossContract",
            "loopback NodeRequestProcessContract",
            "loopback ProcessContract",
            "ucx-shm FaultRoundsContract");

    private static final String BEGIN = "<!-- suites: begin -->\n";
    private static final String END = "<!-- suites: end -->";
    private static final String REWRITE = "./fairlead test build SemanticsTest -Dfairlead.semantics=rewrite";

    @BeforeAll
    static void collectResults() throws IOException {
        if (REWRITES) {
            ContractResults results = ContractResults.read(RESULTS);
            results.collect(Path.of(System.getProperty("fairlead.semantics.reports", ROOT.toString())));
            results.write(RESULTS);
        }
    }

    @Test
    void shouldNumberEachSentenceOnce() throws IOException {
        String text = Files.readString(DOCUMENT);
        Set<String> seen = new TreeSet<>();
        List<String> twice = new ArrayList<>();
        Matcher matcher = SENTENCE.matcher(text);
        int sentences = 0;
        while (matcher.find()) {
            sentences++;
            if (!seen.add(matcher.group(1))) {
                twice.add(matcher.group(1));
            }
        }
        assertEquals(List.of(), twice, "numbers used twice in docs/semantics.md");
        assertEquals(MARKER.matcher(text).results().count(), sentences, "numbers that are not at the start of a line");
    }

    @Test
    void shouldEndEachSentence() throws IOException {
        List<String> unfinished = new ArrayList<>();
        Matcher matcher = SENTENCE.matcher(Files.readString(DOCUMENT));
        while (matcher.find()) {
            if (!matcher.group(2).endsWith(".")) {
                unfinished.add(matcher.group(1));
            }
        }
        assertEquals(List.of(), unfinished, "a sentence is one line and ends with a full stop");
    }

    @Test
    void shouldProveEachSentence() throws IOException {
        Set<String> unproved = new TreeSet<>(sentences());
        unproved.removeAll(casesBySentence().keySet());
        assertEquals(Set.of(), unproved, "sentences of docs/semantics.md that no contract case names");
    }

    @Test
    void shouldNameSentencesThatExist() throws IOException {
        Map<String, List<String>> cases = casesBySentence();
        cases.keySet().removeAll(sentences());
        assertEquals(Map.of(), cases, "contract cases that name a sentence that docs/semantics.md does not have");
    }

    @Test
    void shouldNameASentenceInEachCase() {
        List<String> silent = new ArrayList<>();
        for (Method method : cases()) {
            Semantics semantics = method.getAnnotation(Semantics.class);
            if (semantics == null || semantics.value().length == 0) {
                silent.add(name(method));
            }
        }
        assertEquals(List.of(), silent, "contract cases without @Semantics");
    }

    @Test
    void shouldListWhatTheSuitesDidOverEachTransport() throws IOException {
        String text = Files.readString(DOCUMENT);
        int begin = text.indexOf(BEGIN) + BEGIN.length();
        int end = text.indexOf(END);
        String expected = text.substring(0, begin) + table() + text.substring(end);
        if (REWRITES) {
            Files.writeString(DOCUMENT, expected);
        } else if (!expected.equals(text)) {
            fail("the table of suites in docs/semantics.md is not up to date; run " + REWRITE + " to get\n" + table());
        }
    }

    /** So that a suite that was added does not go without a result. The one over RDMA is run by hand, and may come later. */
    @Test
    void shouldHaveAResultOfEachRun() throws IOException {
        Set<String> missing = new TreeSet<>();
        for (String transport : transports()) {
            String column = transport.equals("Ucx") ? "ucx-shm" : transport.toLowerCase(Locale.ROOT);
            suites().forEach(suite -> missing.add(column + " " + suite.getSimpleName()));
        }
        missing.removeAll(LEFT_OUT);
        ContractResults.read(RESULTS).runs().forEach(missing::remove);
        assertEquals(
                Set.of(),
                missing,
                "runs of suites without a result in " + RESULTS + "; run ./fairlead test, then " + REWRITE);
    }

    private static String table() throws IOException {
        return ContractResults.read(RESULTS)
                .table(suites().stream().map(Class::getSimpleName).toList());
    }

    /** Of the classes that run the suites, in every module. */
    private static Set<String> transports() throws IOException {
        Set<String> transports = new TreeSet<>();
        for (Path module : Repository.folders()) {
            Path tests = module.resolve("src/test/java");
            if (Files.isDirectory(tests)) {
                try (Stream<Path> files = Files.walk(tests)) {
                    for (Path file : files.filter(path -> path.toString().endsWith("ContractTest.java"))
                            .toList()) {
                        Matcher matcher = RUN.matcher(Files.readString(file));
                        if (matcher.find()) {
                            transports.add(matcher.group(1));
                        }
                    }
                }
            }
        }
        assertTrue(transports.containsAll(Set.of("Loopback", "Tcp", "Ucx")), transports::toString);
        return transports;
    }

    private static Set<String> sentences() throws IOException {
        Set<String> ids = new TreeSet<>();
        Matcher matcher = SENTENCE.matcher(Files.readString(DOCUMENT));
        while (matcher.find()) {
            ids.add(matcher.group(1));
        }
        return ids;
    }

    private static Map<String, List<String>> casesBySentence() {
        Map<String, List<String>> cases = new TreeMap<>();
        for (Method method : cases()) {
            Semantics semantics = method.getAnnotation(Semantics.class);
            if (semantics != null) {
                for (String id : semantics.value()) {
                    cases.computeIfAbsent(id, key -> new ArrayList<>()).add(name(method));
                }
            }
        }
        return cases;
    }

    private static List<Method> cases() {
        List<Method> cases = new ArrayList<>();
        for (Class<?> suite : suites()) {
            for (Method method : suite.getDeclaredMethods()) {
                boolean test = Stream.of(method.getAnnotations())
                        .anyMatch(annotation -> annotation.annotationType() == Test.class
                                || annotation.annotationType() == RepeatedTest.class
                                || annotation.annotationType().getSimpleName().equals("ParameterizedTest"));
                if (test || method.isAnnotationPresent(Semantics.class)) {
                    cases.add(method);
                }
            }
        }
        return cases;
    }

    /** The suites are the classes of two packages that are named so. */
    private static List<Class<?>> suites() {
        Map<String, Class<?>> suites = new TreeMap<>();
        for (Class<?> beside : List.of(TransportContract.class, LayerSuites.class)) {
            String module = beside == TransportContract.class ? "testkit" : "layers";
            String folder = "src/main/java/" + beside.getPackageName().replace('.', '/');
            try (Stream<Path> files = Files.list(Repository.module(module).resolve(folder))) {
                for (Path file : files.toList()) {
                    String name = file.getFileName().toString().replace(".java", "");
                    if (name.endsWith("Contract") && !name.equals("TransportContract")) {
                        suites.put(name, Class.forName(beside.getPackageName() + "." + name));
                    }
                }
            } catch (IOException | ClassNotFoundException e) {
                throw new AssertionError(e);
            }
        }
        return List.copyOf(suites.values());
    }

    private static String name(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
