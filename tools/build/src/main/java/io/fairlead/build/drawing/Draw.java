package io.fairlead.build.drawing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Writes the drawings; {@code tools/build/draw} starts it from its source. */
final class Draw {
    private static final String FOLDER = "docs/drawings";

    /** Modules that have more files than a drawing can show, and the package below which theirs are drawn instead. */
    static final Map<String, String> PACKAGES =
            Map.of("core", "io.fairlead.internal", "node", "io.fairlead.node.internal");

    private Draw() {}

    /**
     * Writes the drawings that follow from poms and sources, and the imports of the modules that are named.
     *
     * @param arguments the root of the repository, then pairs of a module's name and where its classes are
     */
    static void main(String[] arguments) throws IOException {
        if (arguments.length % 2 == 0) {
            throw new IllegalArgumentException("needs the root, then pairs of a module and its classes");
        }
        Path root = Path.of(arguments[0]);
        SortedMap<String, String> drawings = current(root);
        List<String> words = new ArrayList<>();
        for (int i = 1; i < arguments.length; i += 2) {
            String module = arguments[i];
            Path classes = Path.of(arguments[i + 1]);
            String parent = PACKAGES.get(module);
            Imports imports =
                    parent == null ? Imports.read(module, classes) : Imports.readPackages(module, classes, parent);
            drawings.put("imports-" + module + ".svg", imports.draw());
            words.add(imports.summary());
            imports.backUp().forEach(arrow -> words.add("  up: " + arrow));
        }
        Path folder = Files.createDirectories(root.resolve(FOLDER));
        for (var drawing : drawings.entrySet()) {
            Files.writeString(folder.resolve(drawing.getKey()), drawing.getValue());
            System.out.println(FOLDER + "/" + drawing.getKey());
        }
        words.forEach(System.out::println);
    }

    /** The drawings that the tree holds and that a test compares, by their files' names. */
    static SortedMap<String, String> current(Path root) throws IOException {
        SortedMap<String, String> drawings = new TreeMap<>();
        drawings.put("modules.svg", Modules.read(root).draw());
        drawings.put("message.svg", new MessageDrawing().draw());
        return drawings;
    }
}
