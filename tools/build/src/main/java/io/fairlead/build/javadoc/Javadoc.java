package io.fairlead.build.javadoc;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes the javadoc of modules as one set of pages, with links between them; {@code tools/build/docs} starts it from its source. */
final class Javadoc {
    private static final Pattern FOLDER = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern REQUIRED = Pattern.compile("(?m)^ *requires (?:static |transitive )*([\\w.]+);");
    private static final Pattern MODULE = Pattern.compile("(?m)^(?:open )?module ([\\w.]+) \\{");

    private Javadoc() {}

    /**
     * Writes the pages of all modules that are published with javadoc.
     *
     * @param arguments the root of the repository, where the pages go, and a folder with the libraries
     */
    static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]);
        Path pages = Path.of(arguments[1]);
        List<Path> libraries;
        try (Stream<Path> jars = Files.list(Path.of(arguments[2]))) {
            libraries = jars.sorted().toList();
        }
        write(root, pages, published(root), libraries);
        System.out.println(pages.resolve("index.html"));
    }

    /** The folders of the modules whose javadoc is published, by the names of the modules. */
    static Map<String, Path> published(Path root) throws IOException {
        Map<String, Path> modules = new TreeMap<>();
        Matcher folders = FOLDER.matcher(Files.readString(root.resolve("pom.xml")));
        while (folders.find()) {
            Path folder = root.resolve(folders.group(1));
            Path descriptor = folder.resolve("src/main/java/module-info.java");
            if (Files.readString(folder.resolve("pom.xml")).contains("<artifactId>maven-javadoc-plugin<")
                    && Files.exists(descriptor)) {
                Matcher name = MODULE.matcher(Files.readString(descriptor));
                if (!name.find()) {
                    throw new IOException("no module is declared: " + descriptor);
                }
                modules.put(name.group(1), folder);
            }
        }
        return modules;
    }

    /**
     * Writes the pages of some modules.
     *
     * @param modules their folders, by their names
     * @param libraries what they need besides
     */
    static void write(Path root, Path pages, Map<String, Path> modules, List<Path> libraries) throws IOException {
        List<String> options = new ArrayList<>(List.of(
                "-d",
                pages.toString(),
                "-quiet",
                "-protected",
                "-notimestamp",
                "-encoding",
                "UTF-8",
                "-Xdoclint:none",
                "-windowtitle",
                "Fairlead",
                "-doctitle",
                "Fairlead",
                "--snippet-path",
                join(modules, folder -> folder.resolve("src/test/java")),
                "--module-path",
                required(modules, libraries).stream()
                        .map(Path::toString)
                        .collect(Collectors.joining(File.pathSeparator)),
                "--module",
                String.join(",", modules.keySet())));
        modules.forEach((name, folder) -> {
            options.add("--module-source-path");
            options.add(name + "=" + folder.resolve("src/main/java"));
        });
        int status = ToolProvider.findFirst("javadoc")
                .orElseThrow()
                .run(System.out, System.err, options.toArray(String[]::new));
        if (status != 0) {
            throw new IOException("javadoc failed: status=" + status + ", root=" + root);
        }
    }

    /**
     * The libraries that modules name, and those that these name. Others have no place in signatures, and automatic modules among them might have packages in
     * common, which the compiler refuses.
     */
    private static List<Path> required(Map<String, Path> modules, List<Path> libraries) throws IOException {
        ModuleFinder finder = ModuleFinder.of(libraries.toArray(Path[]::new));
        Set<String> known = new HashSet<>();
        Queue<String> names = new ArrayDeque<>();
        for (Path folder : modules.values()) {
            REQUIRED.matcher(Files.readString(folder.resolve("src/main/java/module-info.java")))
                    .results()
                    .forEach(name -> names.add(name.group(1)));
        }
        List<Path> found = new ArrayList<>();
        while (!names.isEmpty()) {
            Optional<ModuleReference> library = finder.find(names.remove());
            if (library.isPresent() && known.add(library.get().descriptor().name())) {
                found.add(Path.of(library.get().location().orElseThrow()));
                library.get().descriptor().requires().forEach(requires -> names.add(requires.name()));
            }
        }
        return found;
    }

    private static String join(Map<String, Path> modules, UnaryOperator<Path> part) {
        return modules.values().stream().map(part).map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
}
