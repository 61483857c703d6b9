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
    private static final Pattern REGION = Pattern.compile("(?ms)^ *// @start region=\"example\"\\R(.*?)^ *// @end$");
    private static final String CLASS = "com/example/App.java";

    private final Path folder;
    private final String readme;

    ConsumerProject(Path folder, Path root) throws IOException {
        this.folder = folder;
        readme = Files.readString(root.resolve("README.md"));
        String example =
                Files.readString(root.resolve("samples/src/main/java/io/fairlead/samples/snippets/NodeMessages.java"));
        assertTrue(REGION.matcher(example).find(), "no example");
        Path sources = Files.createDirectories(folder.resolve("src/main/java/com/example"))
                .getParent()
                .getParent();
        Files.writeString(
                sources.resolve(CLASS),
                example.replaceFirst("package [\\w.]+;", "package com.example;").replace("NodeMessages", "App"));
        Files.writeString(sources.resolve("module-info.java"), "module com.example {\n    requires io.fairlead;\n}\n");
    }

    /**
     * Has Maven compile it as a module and collect what it needs to run.
     *
     * @param published a repository with what the build would deploy
     * @param libraries a local repository with everything else
     * @param plugins versions of Maven's plugins by their names, those that are there already
     */
    void build(Path published, Path libraries, Map<String, String> plugins) throws Exception {
        Files.writeString(folder.resolve("pom.xml"), pom(published, plugins));
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
        run("mvn --batch-mode --quiet --settings settings.xml process-classes", Map.of());
    }

    private String pom(Path published, Map<String, String> plugins) {
        String versions = plugins.entrySet().stream()
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
                  <dependencies>
                %s
                  </dependencies>
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
                </project>
                """, published, block("xml"), versions);
    }

    /** Makes the jar of what Maven has compiled. */
    void packModule() throws Exception {
        run("jar --create --file app.jar -C target/classes .", Map.of());
    }

    /** Compiles it without its descriptor, against the class path. */
    void packClasses() throws Exception {
        run("rm -rf classes && javac -Xlint:all -Werror -cp 'lib/*' -d classes src/main/java/" + CLASS, Map.of());
        run("jar --create --file app.jar -C classes .", Map.of());
    }

    /** The README's command lines: for the class path, for the module path, and for the module path with UCX. */
    List<String> commandLines() {
        return block("sh").lines().toList();
    }

    private String block(String language) {
        var block = Pattern.compile("(?ms)^```" + language + "\\R(.*?)^```$").matcher(readme);
        assertTrue(block.find(), () -> "no block of " + language + " in README.md");
        return block.group(1);
    }

    /** Runs a shell's command line in the project's folder, with the JDK of this process; it must succeed. */
    String run(String commandLine, Map<String, String> environment) throws Exception {
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
