package io.fairlead.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Holds the signatures of every exported type to those in {@code docs/api}, so that a change of the API is a decision: the
 * change of a file there. CONTRIBUTING.md tells how to record one.
 */
@Timeout(120)
final class ApiSignatureTest {
    private static final boolean RECORD = "rewrite".equals(System.getProperty("fairlead.api"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "core",
                "node",
                "services",
                "pubsub",
                "security",
                "transport-tcp",
                "metrics",
                "netty",
                "spring",
                "testkit",
                "service-test",
                "service-test-junit",
                "layers"
            })
    void shouldHaveTheSignaturesThatAreRecorded(String module) throws IOException {
        List<String> present = signatures(Repository.classes(module));
        assertTrue(present.size() > 5, () -> "hardly a type was found: " + present);
        Path file = Repository.root().resolve("docs/api").resolve(module + ".txt");
        if (RECORD) {
            Files.createDirectories(file.getParent());
            Files.write(file, present);
        }
        List<String> recorded = Files.exists(file) ? Files.readAllLines(file) : List.of();
        assertEquals(
                difference(recorded, present),
                "",
                () -> "the API of " + module + " is not what " + file.getFileName()
                        + " records; if the change is meant, record it by -Dfairlead.api=rewrite");
    }

    private static String difference(List<String> recorded, List<String> present) {
        Set<String> gone = qualified(recorded);
        Set<String> come = qualified(present);
        Set<String> both = new TreeSet<>(gone);
        both.retainAll(come);
        gone.removeAll(both);
        come.removeAll(both);
        return Stream.concat(
                        gone.stream().map(line -> "- " + line), come.stream().map(line -> "+ " + line))
                .collect(Collectors.joining("\n"));
    }

    /** Each member's line with that of its type before it. */
    private static Set<String> qualified(List<String> lines) {
        Set<String> qualified = new TreeSet<>();
        String type = "";
        for (String line : lines) {
            if (line.startsWith("  ")) {
                qualified.add(type + line);
            } else if (!line.equals("}")) {
                type = line;
                qualified.add(line);
            }
        }
        return qualified;
    }

    /** What javap tells of the public types of the packages that the module exports to all. */
    private static List<String> signatures(Path classes) throws IOException {
        if (Files.isDirectory(classes)) {
            return signaturesBelow(classes);
        }
        try (FileSystem jar = FileSystems.newFileSystem(classes)) {
            Path copy = Files.createTempDirectory("fairlead-api");
            try (Stream<Path> files = Files.walk(jar.getPath("/"))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Path target = copy.resolve(jar.getPath("/").relativize(file).toString());
                    Files.createDirectories(target.getParent());
                    Files.copy(file, target);
                }
            }
            return signaturesBelow(copy);
        }
    }

    private static List<String> signaturesBelow(Path root) throws IOException {
        ModuleDescriptor descriptor;
        try (InputStream compiled = Files.newInputStream(root.resolve("module-info.class"))) {
            descriptor = ModuleDescriptor.read(compiled);
        }
        List<String> files = new ArrayList<>();
        for (ModuleDescriptor.Exports exports : descriptor.exports()) {
            if (!exports.isQualified()) {
                try (Stream<Path> folder =
                        Files.list(root.resolve(exports.source().replace('.', '/')))) {
                    folder.map(Path::toString)
                            .filter(name -> name.endsWith(".class") && !name.endsWith("package-info.class"))
                            .forEach(files::add);
                }
            }
        }
        Map<String, List<String>> types = types(javap(files));
        return types.entrySet().stream()
                .filter(type -> isVisible(type.getKey(), types))
                .flatMap(type -> type.getValue().stream())
                .toList();
    }

    private static String javap(List<String> files) {
        StringWriter out = new StringWriter();
        StringWriter errors = new StringWriter();
        List<String> arguments = new ArrayList<>(List.of("-protected", "-constants"));
        arguments.addAll(files);
        int status = ToolProvider.findFirst("javap")
                .orElseThrow()
                .run(new PrintWriter(out, true), new PrintWriter(errors, true), arguments.toArray(String[]::new));
        assertEquals(0, status, errors::toString);
        return out.toString();
    }

    /** The lines of each type by its name, members sorted: javap has them in the order of the source. */
    private static Map<String, List<String>> types(String text) {
        Map<String, List<String>> types = new TreeMap<>();
        List<String> members = new ArrayList<>();
        String head = "";
        for (String line : text.lines().toList()) {
            if (line.startsWith("  ")) {
                members.add(line);
            } else if (line.equals("}")) {
                List<String> lines = new ArrayList<>(List.of(head));
                members.stream().sorted().forEach(lines::add);
                lines.add("}");
                types.put(name(head), lines);
                members.clear();
            } else if (!line.startsWith("Compiled from")) {
                head = line;
            }
        }
        return types;
    }

    /** The name in the head of a type: behind {@code class} or {@code interface}, without type parameters. */
    private static String name(String head) {
        String behind = head.replaceFirst(".*?\\b(class|interface) ", "");
        return behind.replaceFirst("[<{ ].*", "");
    }

    /** A type is visible if it is public, and so is every type that encloses it. */
    private static boolean isVisible(String name, Map<String, List<String>> types) {
        for (int end = name.length(); end > 0; end = name.lastIndexOf('$', end - 1)) {
            List<String> enclosing = types.get(name.substring(0, end));
            if (enclosing == null || !enclosing.getFirst().startsWith("public ")) {
                return false;
            }
        }
        return true;
    }
}
