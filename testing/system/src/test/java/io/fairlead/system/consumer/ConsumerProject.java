package io.fairlead.system.consumer;

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

    /** The class that the command lines of docs/install.md start. */
    private static final String MAIN = "com.example.App";

    private final Path folder;
    private final Published published;
    private final Path sources;
    private final String readme;
    private final String installation;

    ConsumerProject(Path folder, Published published) throws IOException {
        this.folder = folder;
        this.published = published;
        sources = folder.resolve("src/main/java");
        readme = published.withVersion(Files.readString(published.root().resolve("README.md")));
        installation = Files.readString(published.root().resolve("docs/install.md"));
        Files.createDirectories(sources.resolve("com/example"));
        requireModules("io.fairlead.node", "io.fairlead.pubsub");
    }

    /** Takes over the program of an example; that the README shows it is proved where it comes from. */
    void add(String example) throws IOException {
        String program = Files.readString(
                published.root().resolve("samples/src/main/java/io/fairlead/samples/snippets/" + example + ".java"));
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

    /** Has Maven compile it as a module and collect what it needs to run. */
    void build() throws Exception {
        compile(folder, published, dependencies());
    }

    /**
     * Has Maven compile a project and collect what it needs to run in its folder {@code lib}.
     *
     * @param dependencies what its pom says of them
     */
    static void compile(Path folder, Published published, String dependencies) throws Exception {
        Files.writeString(folder.resolve("pom.xml"), pom(published, dependencies));
        Files.writeString(folder.resolve("settings.xml"), settings(folder, published));
        run(folder, "mvn --batch-mode --quiet --settings settings.xml process-classes", Map.of());
    }

    /**
     * What the build around this test has fetched is looked for first, in a folder that nothing is written to; Surefire tells where it is. The network
     * has what the build did not need, since its pom manages versions that an application leaves to Maven. Applications of a release want more from
     * there, and have one place for what they have fetched.
     */
    static String settings(Path folder, Published published) {
        if (published.isBundle()) {
            return "<settings><localRepository>" + published.repository().resolveSibling("fetched")
                    + "</localRepository></settings>";
        }
        String have = "<id>have</id><url>file://" + System.getProperty("localRepository")
                + "</url><snapshots><enabled>false</enabled></snapshots>";
        return String.format(Locale.ROOT, """
                <settings>
                  <localRepository>%s</localRepository>
                  <profiles><profile>
                    <id>have</id>
                    <repositories><repository>%s</repository></repositories>
                    <pluginRepositories><pluginRepository>%s</pluginRepository></pluginRepositories>
                  </profile></profiles>
                  <activeProfiles><activeProfile>have</activeProfile></activeProfiles>
                </settings>
                """, folder.resolve("repository"), have, have);
    }

    /** A pom that has Maven collect the libraries, with the versions of plugins that are there already. */
    private static String pom(Published published, String dependencies) throws IOException {
        String plugins = published.plugins().entrySet().stream()
                .map(plugin -> "<plugin><artifactId>" + plugin.getKey() + "</artifactId><version>" + plugin.getValue()
                        + "</version></plugin>")
                .collect(Collectors.joining("\n"));
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
                  <build>
                    <pluginManagement><plugins>
                %s
                    </plugins></pluginManagement>
                    <plugins><plugin>
                      <artifactId>maven-dependency-plugin</artifactId>
                      <executions><execution>
                        <phase>process-classes</phase>
                        <goals><goal>copy-dependencies</goal></goals>
                        <configuration>
                          <includeScope>runtime</includeScope>
                          <outputDirectory>${project.basedir}/lib</outputDirectory>
                        </configuration>
                      </execution></executions>
                    </plugin></plugins>
                  </build>
                </project>
                """, published.repository(), dependencies, plugins);
    }

    /** Boms that are imported, each given as group, artifact and version with colons between. */
    static String imports(String... boms) {
        return Stream.of(boms)
                .map(bom -> dependency(bom, "<type>pom</type><scope>import</scope>"))
                .collect(Collectors.joining(
                        "\n", "<dependencyManagement><dependencies>\n", "\n</dependencies></dependencyManagement>\n"));
    }

    /** Dependencies, each given as group and artifact, and a version where no bom has it. */
    static String dependencies(String... artifacts) {
        return Stream.of(artifacts)
                .map(artifact -> dependency(artifact, ""))
                .collect(Collectors.joining("\n", "<dependencies>\n", "\n</dependencies>\n"));
    }

    private static String dependency(String coordinates, String more) {
        String[] names = coordinates.split(":", -1);
        return "<dependency><groupId>" + names[0] + "</groupId><artifactId>" + names[1] + "</artifactId>"
                + (names.length > 2 ? "<version>" + names[2] + "</version>" : "") + more + "</dependency>";
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
        return block("xml", readme);
    }

    /** The command lines of docs/install.md, to start an example: for the class path, for the module path, and for the module path with UCX. */
    List<String> commandLines(String example) {
        return block("sh", installation)
                .lines()
                .map(line -> line.replaceFirst(Pattern.quote(MAIN) + "$", "com.example." + example))
                .toList();
    }

    private static String block(String language, String document) {
        var block = Pattern.compile("(?ms)^```" + language + "\\R(.*?)^```$").matcher(document);
        assertTrue(block.find(), () -> "no block of " + language + " in the document");
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
        // On a busy machine a process may stand still for seconds while it loads classes.
        variables.put("FAIRLEAD_CONNECT_TIMEOUT", "60s");
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
