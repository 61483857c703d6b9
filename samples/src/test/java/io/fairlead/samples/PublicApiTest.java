package io.fairlead.samples;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever copies a sample has what it needs: what Fairlead exports to applications, and nothing of its other rooms. */
@Timeout(120)
final class PublicApiTest {
    private static final JavaClasses SAMPLES = new ClassFileImporter()
            // The library's own option for this knows Maven's folders only as they are by default.
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.fairlead.samples");

    @Test
    void shouldUseThePublicApiAndPlainLibrariesAlone() {
        for (String expected :
                new String[] {"io.fairlead.samples.cache", "io.fairlead.samples.pubsub", "io.fairlead.samples.snippets"
                }) {
            assertTrue(
                    SAMPLES.stream().anyMatch(type -> type.getPackageName().equals(expected)),
                    () -> expected + " is not seen");
        }
        classes()
                .that()
                .resideInAPackage("io.fairlead.samples..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "io.fairlead",
                        "io.fairlead.config",
                        "io.fairlead.node",
                        "io.fairlead.node.discovery",
                        "io.fairlead.observation",
                        "io.fairlead.statistics",
                        "io.fairlead.pubsub",
                        "io.fairlead.services",
                        "io.fairlead.codec.jackson",
                        "io.fairlead.metrics",
                        "io.fairlead.samples..",
                        "java..",
                        "org.jspecify.annotations",
                        "org.slf4j"))
                .check(SAMPLES);
    }
}
