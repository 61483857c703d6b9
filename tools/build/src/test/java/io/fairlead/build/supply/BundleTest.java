package io.fairlead.build.supply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BundleTest {
    private static final Set<String> RELEASED = Set.of("fairlead-core");
    private static final String POM = """
            <project>
              <groupId>io.fairlead</groupId>
              <artifactId>fairlead-core</artifactId>
              <version>1.2.3</version>
              <name>n</name><description>d</description><url>u</url>
              <licenses/><developers/><scm/>
            </project>
            """;

    @TempDir
    Path group;

    @Test
    void shouldAcceptAWholeBundle() throws IOException {
        writeAll(POM);
        assertEquals(List.of(), CheckBundle.faults(group, RELEASED, "1.2.3"));
    }

    @Test
    void shouldNameEachFault() throws IOException {
        writeAll(POM.replace("<scm/>", "<parent/>").replace("<name>n", "<name>${name}"));
        Path folder = group.resolve("fairlead-core/1.2.3");
        Files.delete(folder.resolve("fairlead-core-1.2.3-sources.jar"));
        Files.delete(folder.resolve("fairlead-core-1.2.3.jar.asc"));
        Files.writeString(folder.resolve("fairlead-core-1.2.3-javadoc.jar.sha256"), "0");
        List<String> faults = CheckBundle.faults(group, RELEASED, "1.2.3");
        for (String part : List.of(
                "needs a parent: ",
                "has no scm: ",
                "not resolved: ",
                "missing: ",
                "not signed: ",
                "wrong or missing sum: ")) {
            assertTrue(faults.stream().anyMatch(fault -> fault.contains(part)), () -> part + " in " + faults);
        }
        assertEquals(6, faults.size(), faults::toString);
    }

    @Test
    void shouldTakeOutWhatNoReleaseHas() throws IOException {
        writeAll(POM);
        Path other =
                Files.createDirectories(group.resolve("fairlead-parent/1.2.3")).resolve("fairlead-parent-1.2.3.pom");
        Files.writeString(other, "x");
        Path index = group.resolve("fairlead-core/maven-metadata.xml");
        Files.writeString(index, "x");
        CheckBundle.select(group, RELEASED);
        assertFalse(Files.exists(other.getParent().getParent()));
        assertFalse(Files.exists(index));
        assertTrue(Files.exists(group.resolve("fairlead-core/1.2.3/fairlead-core-1.2.3.jar")));
    }

    @Test
    void shouldFindSignaturesThatAreGone() {
        List<String> difference = List.of(
                "--- a/docs/api/x.txt",
                "+++ b/docs/api/x.txt",
                "-void a()",
                "-void b()",
                "-",
                "+void b()",
                "+void c()");
        assertEquals(List.of("void a()"), CheckSignatures.gone(difference));
        assertTrue(CheckSignatures.mayTakeNothingAway("v1.2.3", "1.2.4"));
        assertFalse(CheckSignatures.mayTakeNothingAway("v1.2.3", "1.3.0"));
        assertFalse(CheckSignatures.mayTakeNothingAway("v1.20.3", "1.2.0"));
    }

    private void writeAll(String pom) throws IOException {
        Path folder = Files.createDirectories(group.resolve("fairlead-core/1.2.3"));
        for (String end : List.of(".pom", ".jar", "-sources.jar", "-javadoc.jar")) {
            byte[] content = (end.equals(".pom") ? pom : end).getBytes(StandardCharsets.UTF_8);
            String name = folder.resolve("fairlead-core-1.2.3" + end).toString();
            Files.write(Path.of(name), content);
            Files.writeString(Path.of(name + ".asc"), "signature");
            for (List<String> sum : List.of(
                    List.of("md5", "MD5"),
                    List.of("sha1", "SHA-1"),
                    List.of("sha256", "SHA-256"),
                    List.of("sha512", "SHA-512"))) {
                Files.writeString(Path.of(name + "." + sum.getFirst()), CheckBundle.digest(sum.getLast(), content));
            }
        }
    }
}
