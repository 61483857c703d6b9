package io.fairlead.system.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.fairlead.system.Clone;
import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * A repository with the artifacts as an application outside the tree finds them. They are those of the release bundle that the system property
 * {@code fairlead.bundle} names, or without it those of the build around the test.
 */
final class Published {
    private static final String GROUP = "io/fairlead";
    private static final Pattern BUNDLE = Pattern.compile("fairlead-(.+)\\.zip");
    private static final Pattern PLUGIN = Pattern.compile(
            "<artifactId>(maven-(?:resources|compiler|dependency)-plugin)</artifactId>\\s*<version>([^<]+)</version>");

    private final Path root;
    private final Path repository;
    private final @Nullable Path bundle;
    private final String version;
    /** The jars of the build, by their artifacts. */
    private final Map<String, Path> made = new TreeMap<>();

    private Published(Path root, Path repository, @Nullable Path bundle, String version) {
        this.root = root;
        this.repository = repository;
        this.bundle = bundle;
        this.version = version;
    }

    /** Makes the repository, with the artifact {@code fairlead} and what it stands for. */
    static Published in(Path folder) throws IOException {
        Path root = RepositoryRoot.path();
        Path repository = folder.resolve("published");
        String named = System.getProperty("fairlead.bundle");
        if (named != null) {
            Path bundle = root.resolve(named);
            Matcher name = BUNDLE.matcher(bundle.getFileName().toString());
            assertTrue(name.matches(), () -> "fairlead.bundle=" + named + " is no fairlead-VERSION.zip");
            unpack(bundle, repository);
            return new Published(root, repository, bundle, name.group(1));
        }
        Published published = new Published(root, repository, null, Clone.version());
        published.publish("fairlead-parent", root.resolve("pom.xml"));
        published.publish("fairlead-bom", root.resolve("dist/bom/pom.xml"));
        for (var artifact : ConsumerProjectTest.ARTIFACTS.entrySet()) {
            published.add(artifact.getKey(), artifact.getValue());
        }
        return published;
    }

    private static void unpack(Path bundle, Path repository) throws IOException {
        try (ZipFile zip = new ZipFile(bundle.toFile())) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                Path target = repository.resolve(entry.getName()).normalize();
                assertTrue(target.startsWith(repository), entry::getName);
                if (!entry.isDirectory()) {
                    Files.createDirectories(target.getParent());
                    try (InputStream content = zip.getInputStream(entry)) {
                        Files.copy(content, target);
                    }
                }
            }
        }
    }

    /** Adds the artifact of a module; a bundle has all that there are. */
    void add(String module, String artifact) throws IOException {
        if (bundle == null) {
            publish(artifact, root.resolve(module).resolve("pom.xml"));
            Path jar = jar(module, artifact);
            made.put(artifact, jar);
            publish(artifact, jar);
        }
    }

    /**
     * The jar that the build has made, whether it is on the class path or not; the modules' order in pom.xml has them made before.
     */
    private Path jar(String module, String artifact) {
        String name = artifact + "-" + version + ".jar";
        Path made = root.resolve(module).resolve("target").resolve(name);
        return Stream.concat(
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                                .map(Path::of),
                        Stream.of(made))
                .filter(entry -> entry.endsWith(name) && Files.exists(entry))
                .findFirst()
                .orElseGet(() -> abort(name + " has not been made; this test wants mvn verify, or a bundle"));
    }

    /** The jar of sources or of javadoc that came with the jar of an artifact, whether there is one or not. */
    Path accompanying(String artifact, String kind) {
        Path jar = made.getOrDefault(artifact, folderOf(artifact).resolve("in the bundle"));
        return jar.resolveSibling(artifact + "-" + version + "-" + kind + ".jar");
    }

    private Path folderOf(String artifact) {
        return repository.resolve(GROUP).resolve(artifact).resolve(version);
    }

    /** Lays a file into the repository, as deploying it would, under no name but its own. */
    private void publish(String artifact, Path file) throws IOException {
        String name = file.endsWith("pom.xml")
                ? artifact + "-" + version + ".pom"
                : file.getFileName().toString();
        Files.copy(file, Files.createDirectories(folderOf(artifact)).resolve(name));
    }

    boolean isBundle() {
        return bundle != null;
    }

    /** The folder of the sources. */
    Path root() {
        return root;
    }

    Path repository() {
        return repository;
    }

    String version() {
        return version;
    }

    /** What documents say about the version, said of the published one. */
    String withVersion(String text) {
        return text.replace(Clone.version(), version);
    }

    /** The version of a library that the build takes, by the name of its property. */
    String libraryVersion(String name) throws IOException {
        Matcher setting = Pattern.compile("<" + Pattern.quote(name) + "\\.version>([^<]+)</")
                .matcher(Files.readString(root.resolve("pom.xml")));
        assertTrue(setting.find(), () -> "no version of " + name + " in pom.xml");
        return setting.group(1);
    }

    /** The versions of the plugins that an application's build takes, which are there already. */
    Map<String, String> plugins() throws IOException {
        Map<String, String> plugins = new TreeMap<>();
        Matcher plugin = PLUGIN.matcher(Files.readString(root.resolve("pom.xml")));
        while (plugin.find()) {
            plugins.put(plugin.group(1), plugin.group(2));
        }
        assertEquals(3, plugins.size(), plugins::toString);
        return plugins;
    }
}
