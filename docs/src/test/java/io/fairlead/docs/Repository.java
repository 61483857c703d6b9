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

    /** The modules of the build, without that of the documents. */
    public static List<String> modules() throws IOException {
        try (Stream<Path> folders = Files.list(root())) {
            return folders.filter(folder -> Files.exists(folder.resolve("pom.xml")))
                    .map(folder -> folder.getFileName().toString())
                    .filter(name -> !name.equals("docs"))
                    .sorted()
                    .toList();
        }
    }

    /** The folder or jar with the classes of a module, from this process' class path. */
    public static Path classes(String module) {
        Pattern wanted = Pattern.compile(".*/(fairlead-" + module + "/classes|fairlead-" + module + "-[0-9][^/]*\\.jar|"
                + module + "/target/classes)");
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
