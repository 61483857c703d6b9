package io.fairlead.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Where things are in the clone that a test runs in. */
public final class Repository {
    private Repository() {}

    /** The folder that holds the documents' one. */
    public static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        return Files.exists(folder.resolve("docs/pom.xml")) ? folder : folder.getParent();
    }

    /** The modules that something is built on: neither that of the documents, which has tests alone, nor the BOM, which has a pom alone. */
    public static List<String> modules() throws IOException {
        return foldersWith("src/main/java");
    }

    /** The modules with classes of their own: without the one that only brings others together. */
    public static List<String> modulesWithClasses() throws IOException {
        return foldersWith("src/main/java/io");
    }

    private static List<String> foldersWith(String sources) throws IOException {
        try (Stream<Path> folders = Files.list(root())) {
            return folders.filter(folder ->
                            Files.exists(folder.resolve("pom.xml")) && Files.isDirectory(folder.resolve(sources)))
                    .map(folder -> folder.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    /** The folder or jar with the classes of a module, from this process' class path. */
    public static Path classes(String module) {
        // The artifact of one module has a longer name than its folder, as Spring's users expect of a starter.
        String artifact = "fairlead-" + module + (module.equals("spring") ? "-boot-starter" : "");
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
                    "docs/pom.xml has to depend on each module once: module=" + module + ", found=" + found);
        }
        return found.getFirst();
    }
}
