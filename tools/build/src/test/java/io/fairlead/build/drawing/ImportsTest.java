package io.fairlead.build.drawing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.build.Repository;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Imports and uses between the files of a module run one way, in the modules that have come so far. */
@Timeout(240)
final class ImportsTest {
    /** Modules in which no arrow may run back up. A module that is there stays. */
    private static final List<String> ONE_WAY =
            List.of("netty", "samples", "security", "transport-shm", "transport-tcp", "transport-ucx");

    /** Arrows back up that the API of a module requires: a server channel creates its children, and a child returns its parent. */
    private static final Map<String, List<String>> BACK_UP =
            Map.of("netty", List.of("FairleadSocketChannel -> FairleadServerSocketChannel"));

    /** Modules whose drawing is in the tree. */
    private static final List<String> DRAWN = List.of("netty", "transport-shm", "transport-tcp", "transport-ucx");

    @TempDir
    private Path folder;

    @Test
    void shouldRunOneWay() throws IOException {
        for (String module : ONE_WAY) {
            Imports imports = Imports.read(module, Repository.classes(module));
            assertEquals(BACK_UP.getOrDefault(module, List.of()), imports.backUp(), imports::summary);
        }
    }

    @Test
    void shouldBeDrawnAsTheyAre() throws IOException {
        for (String module : DRAWN) {
            Path drawing = Repository.root().resolve("docs/drawings/imports-" + module + ".svg");
            assertEquals(
                    Files.readString(drawing),
                    Imports.read(module, Repository.classes(module)).draw(),
                    () -> drawing + " is stale; run tools/build/draw " + String.join(" ", DRAWN));
        }
    }

    @Test
    void shouldRunOneWayBetweenPackages() throws IOException {
        for (var packages : Draw.PACKAGES.entrySet()) {
            Imports imports = packagesOf(packages.getKey());
            assertEquals(List.of(), imports.backUp(), imports::summary);
            Path drawing = Repository.root().resolve("docs/drawings/imports-" + packages.getKey() + ".svg");
            assertEquals(
                    Files.readString(drawing),
                    imports.draw(),
                    () -> drawing + " is stale; run tools/build/draw " + packages.getKey());
        }
    }

    private static Imports packagesOf(String module) throws IOException {
        return Imports.readPackages(module, Repository.classes(module), Draw.PACKAGES.get(module));
    }

    @Test
    void shouldFoldFilesIntoPackages() throws IOException {
        Path classes = compile(
                "package p.a; public class One { p.b.Two two; Three three; }",
                "package p.b; public class Two { p.a.One one; }",
                "package p.a; class Three { q.Four four; }",
                "package q; public class Four {}");
        Imports imports = Imports.readPackages("circle", classes, "p");
        assertEquals(List.of("a", "b"), imports.graph().names());
        assertEquals("circle, p: 2 packages on 2 floors, 2 arrows, 1 back up", imports.summary());
        assertThrows(IOException.class, () -> Imports.readPackages("circle", classes, "r"));
    }

    @Test
    void shouldReadEveryModule() throws IOException {
        for (String module : Repository.modulesWithClasses()) {
            Graph graph = Imports.read(module, Repository.classes(module)).graph();
            int files = graph.names().size();
            // A codec is one file.
            assertTrue(files > 1 ? !graph.down().isEmpty() : files == 1, module);
        }
    }

    @Test
    void shouldSeeUsesInOnePackageAndFoldNestedClasses() throws IOException {
        Imports imports = Imports.read("sample", compile("""
                package p;
                class Upper {
                    class Nested { Lower field; }
                    Beside beside;
                }
                class Beside {}
                """, """
                package p;
                class Lower { static class Deep { void call() { new q.Other(); } } }
                """, """
                package q;
                public class Other { Runnable run = () -> {}; }
                """));
        assertEquals(List.of("p.Lower", "p.Upper", "q.Other"), imports.graph().names());
        assertEquals(
                List.of("p.Lower -> q.Other", "p.Upper -> p.Lower"),
                imports.graph().down().stream().map(imports.graph()::text).toList());
        assertEquals("sample: 3 files on 3 floors, 2 arrows, 0 back up", imports.summary());
        GraphTest.assertNoOverlap(imports.drawing().boxes());
    }

    @Test
    void shouldCountAndDrawWhatRunsBackUp() throws IOException {
        Path classes = compile("package p; class One { Two two; }", "package p; class Two { One one; }");
        Imports imports = Imports.read("circle", classes);
        assertEquals("circle: 2 files on 2 floors, 2 arrows, 1 back up", imports.summary());
        assertEquals(1, imports.backUp().size());
        assertTrue(imports.draw().contains("class=\"line up\""));
        assertEquals(imports.draw(), Imports.read("circle", classes).draw());
    }

    @Test
    void shouldReadAJar() throws IOException {
        Path jar = folder.resolve("circle.jar");
        Path classes = compile("package p; class One { Two two; }", "package p; class Two {}");
        tool("jar", "--create", "--file", jar.toString(), "-C", classes.toString(), ".");
        assertEquals(
                "jar: 2 files on 2 floors, 1 arrows, 0 back up",
                Imports.read("jar", jar).summary());
    }

    @Test
    void shouldRefuseAFolderWithoutClasses() {
        assertThrows(IOException.class, () -> Imports.read("nothing", folder));
    }

    private Path compile(String... sources) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("-proc:none", "-d", folder.resolve("classes").toString()));
        for (String source : sources) {
            String name = source.replaceFirst("(?s).*?class (\\w+).*", "$1");
            arguments.add(
                    Files.writeString(folder.resolve(name + ".java"), source).toString());
        }
        tool("javac", arguments.toArray(String[]::new));
        try (Stream<Path> found = Files.walk(folder.resolve("classes"))) {
            assertTrue(found.anyMatch(file -> file.toString().endsWith(".class")));
        }
        return folder.resolve("classes");
    }

    private static void tool(String name, String... arguments) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream output = new PrintStream(said, true, StandardCharsets.UTF_8);
        assertEquals(
                0,
                ToolProvider.findFirst(name).orElseThrow().run(output, output, arguments),
                () -> said.toString(StandardCharsets.UTF_8));
    }
}
