package io.fairlead.build.drawing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** The modules of the build and what each is for, from their poms. */
final class Modules {
    private static final int NOTE_MAX = 34;

    private final Map<String, String> descriptions = new TreeMap<>();
    private final Map<String, Set<String>> uses = new TreeMap<>();

    /**
     * Reads the poms below a folder. What only tests use is left out, and so is what nothing is built on: the module of these programs, and
     * the BOM.
     *
     * @param root the root of the repository
     */
    static Modules read(Path root) throws IOException {
        Modules modules = new Modules();
        Map<String, String> folders = new HashMap<>();
        Map<String, Element> poms = new TreeMap<>();
        for (Element module : children(child(pom(root), "modules"), "module")) {
            String folder = module.getTextContent();
            String name = Path.of(folder).getFileName().toString();
            if (Files.isDirectory(root.resolve(folder).resolve("src/main/java")) && !name.equals("build")) {
                Element pom = pom(root.resolve(folder));
                poms.put(name, pom);
                folders.put(child(pom, "artifactId").getTextContent(), name);
            }
        }
        poms.forEach((folder, pom) -> {
            modules.descriptions.put(folder, child(pom, "description").getTextContent());
            Set<String> used = new TreeSet<>();
            for (Element dependency : children(child(pom, "dependencies"), "dependency")) {
                String of = folders.get(child(dependency, "artifactId").getTextContent());
                boolean test = children(dependency, "scope").stream()
                        .anyMatch(scope -> scope.getTextContent().equals("test"));
                if (of != null && !test) {
                    used.add(of);
                }
            }
            modules.uses.put(folder, used);
        });
        return modules;
    }

    Graph graph() {
        return Graph.of(uses);
    }

    FloorDrawing drawing() {
        Graph reduced = graph().reduced();
        List<FloorDrawing.Label> labels = reduced.names().stream()
                .map(name -> new FloorDrawing.Label(name, lines(descriptions.get(name))))
                .toList();
        return new FloorDrawing(reduced, labels);
    }

    String draw() {
        return drawing()
                .draw(
                        "modules",
                        "An arrow leads to what a module is built on; left out: arrows that others imply, and what only tests use.");
    }

    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.strip().split("\\s+", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > NOTE_MAX) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    private static Element pom(Path folder) throws IOException {
        Path file = folder.resolve("pom.xml");
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(Files.newInputStream(file))
                    .getDocumentElement();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException("cannot read " + file, e);
        }
    }

    private static Element child(Element parent, String name) {
        List<Element> found = children(parent, name);
        if (found.size() != 1) {
            throw new IllegalStateException(
                    "a pom needs one element here: name=" + name + ", found=" + found.size() + ", in=" + parent);
        }
        return found.getFirst();
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
            if (child instanceof Element element && element.getTagName().equals(name)) {
                found.add(element);
            }
        }
        return found;
    }
}
