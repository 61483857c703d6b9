package io.fairlead.build.supply;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.w3c.dom.Element;

/** What a CycloneDX document says of components and of which needs which. A component is called by its coordinates, group:name:version. */
final class BillOfMaterials {
    private static final Pattern JSON_PURL = Pattern.compile("\"purl\"\\s*:\\s*\"([^\"]+)\"");

    private final SortedMap<String, Boolean> licensed = new TreeMap<>();
    private final Map<String, Set<String>> needs = new HashMap<>();
    private final SortedSet<String> purls = new TreeSet<>();

    private BillOfMaterials() {}

    /** Reads a document in XML. */
    static BillOfMaterials read(Path file) throws IOException {
        BillOfMaterials bill = new BillOfMaterials();
        Element root = Xml.read(file);
        Map<String, String> names = new HashMap<>();
        Element own = Xml.child(Xml.child(root, "metadata"), "component");
        names.put(own.getAttribute("bom-ref"), coordinates(own));
        bill.purls.add(Xml.text(own, "purl"));
        for (Element component : Xml.children(Xml.child(root, "components"), "component")) {
            String name = coordinates(component);
            names.put(component.getAttribute("bom-ref"), name);
            bill.purls.add(Xml.text(component, "purl"));
            bill.licensed.put(name, hasLicence(component));
        }
        for (Element dependency : Xml.children(Xml.child(root, "dependencies"), "dependency")) {
            Set<String> needed = bill.needs.computeIfAbsent(name(names, dependency), each -> new HashSet<>());
            for (Element each : Xml.children(dependency, "dependency")) {
                needed.add(name(names, each));
            }
        }
        return bill;
    }

    /**
     * Compares the bill with what Maven resolved.
     *
     * @param released what comes with each released artifact, by the artifact
     * @param optional what an artifact offers and its users get only if they ask for it
     * @return a line for each fault
     */
    List<String> faults(SortedMap<String, ? extends Set<String>> released, Set<String> optional) {
        List<String> faults = new ArrayList<>();
        Set<String> known = new HashSet<>(released.keySet());
        released.forEach((artifact, runtime) -> {
            known.addAll(runtime);
            if (!licensed.containsKey(artifact)) {
                faults.add("a released artifact is not in the bill: " + artifact);
                return;
            }
            Set<String> reached = reachedFrom(artifact);
            for (String each : new TreeSet<>(runtime)) {
                if (!licensed.containsKey(each) || !reached.contains(each)) {
                    faults.add(
                            "the bill does not say that an artifact brings this: " + each + ", artifact=" + artifact);
                }
            }
            for (String each : new TreeSet<>(reached)) {
                if (!runtime.contains(each) && !optional.contains(each)) {
                    faults.add("the bill says that an artifact brings what it does not: " + each + ", artifact="
                            + artifact);
                }
            }
        });
        licensed.forEach((component, hasLicence) -> {
            if (component.endsWith(":")) {
                faults.add("a component has no version: " + component);
            }
            if (!hasLicence) {
                faults.add("a component has no licence: " + component);
            }
            if (!known.contains(component)) {
                faults.add("a component comes with no released artifact, such as what only tests need: " + component);
            }
        });
        return faults;
    }

    /** The faults of a document in JSON, which has to name the same packages as this one. */
    List<String> faultsOfJson(Path file) throws IOException {
        Matcher matcher = JSON_PURL.matcher(Files.readString(file));
        SortedSet<String> there = new TreeSet<>();
        while (matcher.find()) {
            there.add(matcher.group(1));
        }
        return Stream.concat(
                        purls.stream().filter(purl -> !there.contains(purl)),
                        there.stream().filter(purl -> !purls.contains(purl)))
                .map(purl -> "only one of the documents in XML and JSON names this: " + purl)
                .toList();
    }

    int size() {
        return licensed.size();
    }

    /** What an artifact needs, and what that needs, without the artifact itself. */
    private Set<String> reachedFrom(String artifact) {
        Set<String> reached = new HashSet<>();
        Deque<String> ahead = new ArrayDeque<>(Set.of(artifact));
        while (!ahead.isEmpty()) {
            for (String next : needs.getOrDefault(ahead.remove(), Set.of())) {
                if (reached.add(next)) {
                    ahead.add(next);
                }
            }
        }
        return reached;
    }

    private static String name(Map<String, String> names, Element dependency) {
        String reference = dependency.getAttribute("ref");
        // What is not among the components keeps the name that it has here, and is found missing by it.
        return names.getOrDefault(reference, reference);
    }

    private static String coordinates(Element component) {
        return Xml.text(component, "group") + ":" + Xml.text(component, "name") + ":" + Xml.text(component, "version");
    }

    private static boolean hasLicence(Element component) {
        return Xml.children(component, "licenses").stream()
                .anyMatch(licences -> !licences.getTextContent().isBlank());
    }
}
