package io.fairlead.build.drawing;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.SourceFileAttribute;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Which source file of a module uses which other one of it, by what jdeps finds in the classes: imports and uses within a package alike. It does
 * not see what leaves no trace in a class: constants that javac has copied, and annotations of the source.
 */
final class Imports {
    private static final Pattern USE = Pattern.compile("(?m)^\\s+([\\w.$]+)\\s+-> ([\\w.$]+)\\s");

    private final String module;
    private final String unit;
    private final Graph graph;

    private Imports(String module, String unit, Graph graph) {
        this.module = module;
        this.unit = unit;
        this.graph = graph;
    }

    /**
     * Reads what was compiled.
     *
     * @param module the module's name, for the title
     * @param classes a folder of classes, or a jar
     */
    static Imports read(String module, Path classes) throws IOException {
        return new Imports(module, "file", Graph.of(shortened(uses(classes))));
    }

    /**
     * Reads which package below another one uses which.
     *
     * @param module the module's name, for the title
     * @param classes a folder of classes, or a jar
     * @param parent the package that they are below, which is left out of their names
     */
    static Imports readPackages(String module, Path classes, String parent) throws IOException {
        String prefix = parent + ".";
        Map<String, Set<String>> packages = new TreeMap<>();
        uses(classes).forEach((user, used) -> {
            if (user.startsWith(prefix)) {
                Set<String> targets = packages.computeIfAbsent(packageBelow(prefix, user), _ -> new TreeSet<>());
                used.stream()
                        .filter(name -> name.startsWith(prefix))
                        .map(name -> packageBelow(prefix, name))
                        .forEach(targets::add);
            }
        });
        if (packages.isEmpty()) {
            throw new IOException("no packages below " + parent + " in " + classes);
        }
        return new Imports(module + ", " + parent, "package", Graph.of(packages));
    }

    private static String packageBelow(String prefix, String file) {
        return file.substring(prefix.length(), Math.max(prefix.length(), file.lastIndexOf('.')));
    }

    private static Map<String, Set<String>> uses(Path classes) throws IOException {
        if (Files.isDirectory(classes)) {
            return usesInFolder(classes);
        }
        try (FileSystem jar = FileSystems.newFileSystem(classes)) {
            return usesInFolder(jar.getPath("/"));
        }
    }

    private static Map<String, Set<String>> usesInFolder(Path classes) throws IOException {
        // A copy without the module's descriptor, for whose sake jdeps would ask for all modules that this one
        // requires.
        Path copy = Files.createTempDirectory("fairlead-imports");
        try {
            Map<String, String> fileByClass = copy(classes, copy);
            Map<String, Set<String>> uses = new TreeMap<>();
            fileByClass.values().forEach(file -> uses.put(file, new TreeSet<>()));
            Matcher use = USE.matcher(jdeps(copy));
            while (use.find()) {
                String user = fileByClass.get(use.group(1));
                String used = fileByClass.get(use.group(2));
                if (user != null && used != null) {
                    uses.get(user).add(used);
                }
            }
            return uses;
        } finally {
            delete(copy);
        }
    }

    private static Map<String, String> copy(Path from, Path to) throws IOException {
        Map<String, String> fileByClass = new HashMap<>();
        List<Path> found;
        try (Stream<Path> files = Files.walk(from)) {
            found = files.filter(file -> file.toString().endsWith(".class")).toList();
        }
        for (Path file : found) {
            byte[] bytes = Files.readAllBytes(file);
            ClassModel model = ClassFile.of().parse(bytes);
            String name = model.thisClass().asInternalName();
            if (name.endsWith("-info")) {
                continue;
            }
            String folder = name.substring(0, name.lastIndexOf('/') + 1);
            String source = model.findAttribute(Attributes.sourceFile())
                    .map(SourceFileAttribute::sourceFile)
                    .orElseThrow(() -> new IOException("compiled without the name of its source: " + file))
                    .stringValue();
            fileByClass.put(name.replace('/', '.'), (folder + source.replace(".java", "")).replace('/', '.'));
            Path copied = to.resolve(name + ".class");
            Files.createDirectories(copied.getParent());
            Files.write(copied, bytes);
        }
        if (fileByClass.isEmpty()) {
            throw new IOException("no classes in " + from);
        }
        return fileByClass;
    }

    private static String jdeps(Path classes) {
        StringWriter output = new StringWriter();
        PrintWriter writer = new PrintWriter(output);
        int status = ToolProvider.findFirst("jdeps").orElseThrow().run(writer, writer, "-v", classes.toString());
        writer.flush();
        if (status != 0) {
            throw new IllegalStateException("jdeps ended with status " + status + ": " + output);
        }
        return output.toString();
    }

    /** Without the package that all have in common. */
    private static Map<String, Set<String>> shortened(Map<String, Set<String>> uses) {
        List<String> names = List.copyOf(uses.keySet());
        String common = names.getFirst().substring(0, names.getFirst().lastIndexOf('.') + 1);
        for (String name : names) {
            while (!name.startsWith(common)) {
                common = common.substring(0, common.lastIndexOf('.', common.length() - 2) + 1);
            }
        }
        int cut = common.length();
        Map<String, Set<String>> shortened = new TreeMap<>();
        uses.forEach((user, used) -> {
            Set<String> cuts = new TreeSet<>();
            used.forEach(name -> cuts.add(name.substring(cut)));
            shortened.put(user.substring(cut), cuts);
        });
        return shortened;
    }

    private static void delete(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException failure) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    Graph graph() {
        return graph;
    }

    /** How many files or packages and arrows there are, and which arrows run back up. */
    String summary() {
        int arrows = graph.down().size() + graph.up().size();
        return module + ": " + graph.names().size() + " " + unit + "s on " + graph.floorCount() + " floors, " + arrows
                + " arrows, " + graph.up().size() + " back up";
    }

    /** Every arrow that runs back up, a line each. */
    List<String> backUp() {
        List<String> lines = new ArrayList<>();
        graph.up().forEach(arrow -> lines.add(graph.text(arrow)));
        return lines;
    }

    FloorDrawing drawing() {
        return new FloorDrawing(
                graph,
                graph.names().stream()
                        .map(name -> new FloorDrawing.Label(name, List.of()))
                        .toList());
    }

    String draw() {
        return drawing()
                .draw(summary(), "A " + unit + " stands above those that it uses; an arrow back up is red and dashed.");
    }
}
