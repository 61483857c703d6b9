package io.fairlead.build.supply;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.w3c.dom.Element;

/** Compares the bill of materials with the dependencies that Maven resolved; {@code tools/build/sbom} starts it from its source. */
final class CheckBill {
    private CheckBill() {}

    /**
     * Prints the faults, and exits with 1 where there are any.
     *
     * @param arguments the root of the repository, whose folders target have the bill and the lists of dependencies
     */
    static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]);
        SortedMap<String, SortedSet<String>> released = new TreeMap<>();
        Set<String> optional = new HashSet<>();
        Element bom = Xml.read(root.resolve("dist/bom/pom.xml"));
        String version = Xml.text(bom, "version");
        released.put(coordinates(bom, version), new TreeSet<>());
        Set<String> names = artifacts(bom);
        for (Path folder : folders(root)) {
            Element pom = Xml.read(folder.resolve("pom.xml"));
            if (names.remove(Xml.text(pom, "artifactId"))) {
                List<String> lines = Files.readAllLines(folder.resolve("target/runtime.txt"));
                released.put(coordinates(pom, version), dependencies(lines));
                optional.addAll(dependencies(lines.stream()
                        .filter(line -> line.contains("(optional)"))
                        .toList()));
            }
        }
        if (!names.isEmpty()) {
            throw new IllegalStateException("bom/pom.xml names artifacts of no module: " + names);
        }
        BillOfMaterials bill = BillOfMaterials.read(root.resolve("target/bom.xml"));
        List<String> faults = new ArrayList<>(bill.faults(released, optional));
        faults.addAll(bill.faultsOfJson(root.resolve("target/bom.json")));
        faults.forEach(System.out::println);
        System.out.println("target/bom.json and target/bom.xml: artifacts=" + released.size() + ", components="
                + bill.size() + ", faults=" + faults.size());
        if (!faults.isEmpty()) {
            System.exit(1);
        }
    }

    /**
     * Reads coordinates from the lines of {@code dependency:collect}: group:name:type:version:scope, with a classifier before the version
     * where there is one.
     */
    static SortedSet<String> dependencies(List<String> lines) {
        SortedSet<String> found = new TreeSet<>();
        for (String line : lines) {
            String[] parts = line.strip().split(" ", -1)[0].split(":", -1);
            if (parts.length >= 5) {
                found.add(parts[0] + ":" + parts[1] + ":" + parts[parts.length - 2]);
            }
        }
        return found;
    }

    private static String coordinates(Element pom, String version) {
        return "io.fairlead:" + Xml.text(pom, "artifactId") + ":" + version;
    }

    private static Set<String> artifacts(Element bom) {
        Set<String> names = new TreeSet<>();
        Element managed = Xml.child(Xml.child(bom, "dependencyManagement"), "dependencies");
        for (Element dependency : Xml.children(managed, "dependency")) {
            names.add(Xml.text(dependency, "artifactId"));
        }
        return names;
    }

    private static List<Path> folders(Path root) throws IOException {
        List<Path> folders = new ArrayList<>();
        for (Element module : Xml.children(Xml.child(Xml.read(root.resolve("pom.xml")), "modules"), "module")) {
            folders.add(root.resolve(module.getTextContent().strip()));
        }
        return folders;
    }
}
