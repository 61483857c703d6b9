package io.fairlead.build.supply;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.w3c.dom.Element;

/** Checks what a release uploads, by the rules of Maven Central; {@code tools/build/bundle} starts it from its source. */
final class CheckBundle {
    private static final Map<String, String> SUMS =
            Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512", "SHA-512");
    private static final List<String> TOLD = List.of("name", "description", "url", "licenses", "developers", "scm");
    private static final String GROUP = "io/fairlead";

    private CheckBundle() {}

    /**
     * Prints the faults, and exits with 1 where there are any.
     *
     * @param arguments {@code select}, which deletes what no release has, or {@code check}; the root of the repository; the folder with what Maven
     *     deployed; the version
     */
    static void main(String[] arguments) throws IOException {
        Path repository = Path.of(arguments[2]);
        Set<String> released = released(Path.of(arguments[1]).resolve("dist/bom/pom.xml"));
        if (arguments[0].equals("select")) {
            select(repository.resolve(GROUP), released);
            return;
        }
        List<String> faults = faults(repository.resolve(GROUP), released, arguments[3]);
        faults.forEach(System.out::println);
        System.out.println("bundle: artifacts=" + released.size() + ", faults=" + faults.size());
        if (!faults.isEmpty()) {
            System.exit(1);
        }
    }

    /** What the BOM names, and the BOM. */
    static Set<String> released(Path bom) throws IOException {
        Element pom = Xml.read(bom);
        Set<String> names = new TreeSet<>();
        names.add(Xml.text(pom, "artifactId"));
        Element managed = Xml.child(Xml.child(pom, "dependencyManagement"), "dependencies");
        for (Element dependency : Xml.children(managed, "dependency")) {
            names.add(Xml.text(dependency, "artifactId"));
        }
        return names;
    }

    /** Deletes other artifacts, sums that another program writes, and what is Central's to write. */
    static void select(Path group, Set<String> released) throws IOException {
        List<Path> all;
        try (Stream<Path> found = Files.walk(group)) {
            all = found.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            String artifact =
                    group.equals(path) ? "" : group.relativize(path).getName(0).toString();
            String name = path.getFileName().toString();
            boolean wanted = released.contains(artifact) && (name.endsWith(".jar") || name.endsWith(".pom"));
            if (Files.isDirectory(path) ? !released.contains(artifact) && !artifact.isEmpty() : !wanted) {
                Files.delete(path);
            }
        }
    }

    /** What Central would refuse, each in a line. */
    static List<String> faults(Path group, Set<String> released, String version) throws IOException {
        List<String> faults = new ArrayList<>();
        for (String artifact : released) {
            Path folder = group.resolve(artifact).resolve(version);
            String stem = artifact + "-" + version;
            Path pom = folder.resolve(stem + ".pom");
            if (!Files.exists(pom)) {
                faults.add("missing: " + pom);
                continue;
            }
            faults.addAll(faultsOfPom(pom, artifact, version));
            List<String> files = new ArrayList<>(List.of(stem + ".pom"));
            if (!isOnlyPom(pom)) {
                files.addAll(List.of(stem + ".jar", stem + "-sources.jar", stem + "-javadoc.jar"));
            }
            for (String file : files) {
                faults.addAll(faultsOfFile(folder.resolve(file)));
            }
        }
        return faults;
    }

    private static boolean isOnlyPom(Path pom) throws IOException {
        List<Element> packaging = Xml.children(Xml.read(pom), "packaging");
        return !packaging.isEmpty()
                && packaging.getFirst().getTextContent().strip().equals("pom");
    }

    private static List<String> faultsOfPom(Path file, String artifact, String version) throws IOException {
        List<String> faults = new ArrayList<>();
        Element pom = Xml.read(file);
        if (!Xml.children(pom, "parent").isEmpty()) {
            faults.add("needs a parent: " + file);
        }
        for (String element : TOLD) {
            if (Xml.children(pom, element).isEmpty()) {
                faults.add("has no " + element + ": " + file);
            }
        }
        if (!Xml.text(pom, "artifactId").equals(artifact)
                || !Xml.text(pom, "version").equals(version)
                || !Xml.text(pom, "groupId").equals("io.fairlead")) {
            faults.add("is of other coordinates than its place: " + file);
        }
        // A BOM may name its own version by that property, and by no other.
        String text = Files.readString(file).replace("<version>${project.version}</version>", "");
        if (text.contains("-SNAPSHOT") || text.contains("${")) {
            faults.add("has a snapshot or a property that is not resolved: " + file);
        }
        return faults;
    }

    private static List<String> faultsOfFile(Path file) throws IOException {
        List<String> faults = new ArrayList<>();
        if (!Files.exists(file)) {
            return List.of("missing: " + file);
        }
        if (!Files.exists(Path.of(file + ".asc"))) {
            faults.add("not signed: " + file);
        }
        byte[] content = Files.readAllBytes(file);
        for (Map.Entry<String, String> sum : SUMS.entrySet()) {
            Path written = Path.of(file + "." + sum.getKey());
            if (!Files.exists(written) || !Files.readString(written).equals(digest(sum.getValue(), content))) {
                faults.add("wrong or missing sum: " + written);
            }
        }
        return faults;
    }

    static String digest(String algorithm, byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(content));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
