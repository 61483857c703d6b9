package io.fairlead.cli.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An application outside the tree, made from what the README says and from what the build would publish. */
final class ConsumerProject {
    private static final long LIMIT_S = 240;

    /** The class that the README's command lines start. */
    private static final String MAIN = "com.example.App";

    private final Path folder;
    private final Path root;
    private final Path sources;
    private final String readme;

    ConsumerProject(Path folder, Path root) throws IOException {
        this.folder = folder;
        this.root = root;
        sources = folder.resolve("src/main/java");
        readme = Files.readString(root.resolve("README.md"));
        Files.createDirectories(sources.resolve("com/example"));
        requireModules("io.fairlead.node", "io.fairlead.pubsub");
    }

    /** Takes over the program of an example; that the README shows it is proved where it comes from. */
    void add(String example) throws IOException {
        String program = Files.readString(
                root.resolve("samples/src/main/java/io/fairlead/samples/snippets/" + example + ".java"));
        Files.writeString(
                sources.resolve("com/example/" + example + ".java"),
                program.replaceFirst("package [\\w.]+;", "package com.example;"));
    }

    private void requireModules(String... modules) throws IOException {
        String requires = Stream.of(modules)
                .map(module -> "    requires " + module + ";\n")
                .collect(Collectors.joining());
        Files.writeString(sources.resolve("module-info.java"), "module com.example {\n" + requires + "}\n");
    }

    /**
     * Has Maven compile it as a module and collect what it needs to run.
     *
     * @param published a repository with what the build would deploy
     * @param libraries a local repository with everything else
     * @param plugins versions of Maven's plugins by their names, those that are there already
     */
    void build(Path published, Path libraries, Map<String, String> plugins) throws Exception {
        compile(folder, pom(published, plugins), libraries);
    }

    /**
     * Has Maven compile a project and collect what it needs to run in its folder {@code lib}.
     *
     * @param pom with {@link #build(Map)} in it
     * @param libraries a local repository with everything that the project's own repositories have not
     */
    static void compile(Path folder, String pom, Path libraries) throws Exception {
        Files.writeString(folder.resolve("pom.xml"), pom);
        Files.writeString(folder.resolve("lib.xml"), """
                <assembly>
                  <id>lib</id>
                  <formats><format>dir</format></formats>
                  <includeBaseDirectory>false</includeBaseDirectory>
                  <dependencySets><dependencySet><useProjectArtifact>false</useProjectArtifact></dependencySet></dependencySets>
                </assembly>
                """);
        // What the outer build has fetched serves as the network, and nothing is written there.
        Files.writeString(
                folder.resolve("settings.xml"),
                String.format(Locale.ROOT, """
                <settings>
                  <localRepository>%s</localRepository>
                  <mirrors><mirror><id>have</id><mirrorOf>*,!published</mirrorOf><url>file://%s</url></mirror></mirrors>
                </settings>
                """, folder.resolve("repository"), libraries));
        run(folder, "mvn --batch-mode --quiet --settings settings.xml process-classes", Map.of());
    }

    private String pom(Path published, Map<String, String> plugins) {
        return String.format(Locale.ROOT, """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>com.example</groupId>
                  <artifactId>app</artifactId>
                  <version>1</version>
                  <properties>
                    <maven.compiler.release>25</maven.compiler.release>
                    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
                  </properties>
                  <repositories>
                    <repository>
                      <id>published</id>
                      <url>file://%s</url>
                      <snapshots><enabled>true</enabled></snapshots>
                    </repository>
                  </repositories>
                %s
                %s
                </project>
                """, published, dependencies(), build(plugins));
    }

    /** What has Maven collect the libraries of a project, with the versions of plugins that are there already. */
    static String build(Map<String, String> plugins) {
        String versions = plugins.entrySet().stream()
                .map(plugin -> "<plugin><artifactId>" + plugin.getKey() + "</artifactId><version>" + plugin.getValue()
                        + "</version></plugin>")
                .collect(Collectors.joining("\n"));
        return String.format(Locale.ROOT, """
                  <build>
                    <pluginManagement><plugins>
                %s
                    </plugins></pluginManagement>
                    <plugins><plugin>
                      <artifactId>maven-assembly-plugin</artifactId>
                      <executions><execution>
                        <phase>process-classes</phase>
                        <goals><goal>single</goal></goals>
                        <configuration>
                          <descriptors><descriptor>lib.xml</descriptor></descriptors>
                          <appendAssemblyId>false</appendAssemblyId>
                          <attach>false</attach>
                          <finalName>lib</finalName>
                          <outputDirectory>${project.basedir}</outputDirectory>
                        </configuration>
                      </execution></executions>
                    </plugin></plugins>
                  </build>
                """, versions);
    }

    /** Makes the jar of what Maven has compiled. */
    void packModule() throws Exception {
        run("jar --create --file app.jar -C target/classes .", Map.of());
    }

    /** Compiles it as a module that requires others than Maven has compiled it with. */
    void packModuleThatRequires(String... modules) throws Exception {
        requireModules(modules);
        compile("-p lib");
    }

    /** Compiles it without its descriptor, against the class path. */
    void packClasses() throws Exception {
        Files.delete(sources.resolve("module-info.java"));
        compile("-cp 'lib/*'");
    }

    private void compile(String path) throws Exception {
        run(
                "rm -rf classes && find src -name '*.java' | xargs javac -Xlint:all" + " -Werror " + path
                        + " -d classes",
                Map.of());
        run("jar --create --file app.jar -C classes .", Map.of());
    }

    /** What the README tells an application to put into its pom. */
    String dependencies() {
        return block("xml");
    }

    /** The README's command lines, to start an example: for the class path, for the module path, and for the module path with UCX. */
    List<String> commandLines(String example) {
        return block("sh")
                .lines()
                .map(line -> line.replaceFirst(Pattern.quote(MAIN) + "$", "com.example." + example))
                .toList();
    }

    private String block(String language) {
        var block = Pattern.compile("(?ms)^```" + language + "\\R(.*?)^```$").matcher(readme);
        assertTrue(block.find(), () -> "no block of " + language + " in README.md");
        return block.group(1);
    }

    /** Runs a shell's command line in the project's folder, with the JDK of this process; it must succeed. */
    String run(String commandLine, Map<String, String> environment) throws Exception {
        return run(folder, commandLine, environment);
    }

    /** Runs a shell's command line in a folder, with the JDK of this process; it must succeed. */
    static String run(Path folder, String commandLine, Map<String, String> environment) throws Exception {
        Path output = Files.createTempFile(folder, "output", ".txt");
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", commandLine)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        Map<String, String> variables = builder.environment();
        // What the machine, or the build around this test, has set must not decide it.
        variables.keySet().removeIf(name -> name.matches("(FAIRLEAD|UCX|MAVEN|JDK_JAVA|JAVA_TOOL)_.*"));
        String home = System.getProperty("java.home");
        variables.put("JAVA_HOME", home);
        variables.merge("PATH", home + "/bin", (path, bin) -> bin + ":" + path);
        variables.putAll(environment);
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS), () -> "did not end: " + commandLine);
        } finally {
            try (Stream<ProcessHandle> children = process.descendants()) {
                children.forEach(ProcessHandle::destroyForcibly);
            }
            process.destroyForcibly();
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertEquals(0, process.exitValue(), () -> commandLine + "\n" + text);
        return text;
    }
}
