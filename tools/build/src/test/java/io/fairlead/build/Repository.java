package io.fairlead.build;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Where things are in the clone that a test runs in. */
public final class Repository {
    private Repository() {}

    /** The folder of the launcher. */
    public static Path root() {
        return RepositoryRoot.path();
    }

    /** The folder of a module, by its name. */
    public static Path module(String name) throws IOException {
        return folders().stream()
                .filter(folder -> folder.getFileName().toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no module " + name));
    }

    /** The folders of all modules: of the root, or of a folder that groups modules. */
    public static List<Path> folders() throws IOException {
        try (Stream<Path> folders = Files.find(
                root(), 2, (folder, _) -> !folder.equals(root()) && Files.exists(folder.resolve("pom.xml")))) {
            return folders.sorted().toList();
        }
    }

    /** The modules that something is built on: neither the one of these tests nor the BOM, which has a pom alone. */
    public static List<String> modules() throws IOException {
        return foldersWith("src/main/java");
    }

    /** Copies the launcher and what it and the scripts of tools/build consist of into a folder that is to be a clone. */
    public static void copyLauncher(Path clone) throws IOException {
        Path scripts = root().resolve("tools/build");
        Files.copy(root().resolve("fairlead"), clone.resolve("fairlead"));
        Files.createDirectories(clone.resolve("tools/build/lib"));
        for (Path folder : List.of(scripts, scripts.resolve("lib"))) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(
                            file,
                            clone.resolve(root().relativize(file).toString()),
                            StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }

    /** The modules with classes of their own: without the one that only brings others together. */
    public static List<String> modulesWithClasses() throws IOException {
        return foldersWith("src/main/java/io");
    }

    private static List<String> foldersWith(String sources) throws IOException {
        return folders().stream()
                .filter(folder -> Files.isDirectory(folder.resolve(sources)))
                .map(folder -> folder.getFileName().toString())
                .filter(module -> !module.equals("build"))
                .sorted()
                .toList();
    }

    /** The folder or jar with the classes of a module, from this process' class path. */
    public static Path classes(String module) {
        // Three artifacts have longer names than their folders.
        String artifact = switch (module) {
            case "spring" -> "fairlead-spring-boot-starter";
            case "spring-test" -> "fairlead-spring-boot-test";
            case "layers" -> "fairlead-testkit-layers";
            default -> "fairlead-" + module;
        };
        Pattern wanted = Pattern.compile(
                ".*/(" + artifact + "/classes|" + artifact + "-[0-9][^/]*\\.jar|" + module + "/target/classes)");
        List<Path> found = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(":", -1)) {
            if (wanted.matcher(entry).matches()) {
                found.add(Path.of(entry));
            }
        }
        if (found.size() != 1) {
            throw new AssertionError(
                    "tools/build/pom.xml has to depend on each module once: module=" + module + ", found=" + found);
        }
        return found.getFirst();
    }
}
