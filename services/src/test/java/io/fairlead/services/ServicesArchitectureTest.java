package io.fairlead.services;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What this module may depend on. */
@Timeout(120)
final class ServicesArchitectureTest {
    @Test
    void shouldBeBuiltOnNodesAndNoFormat() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("java..", "org.slf4j", "org.jspecify.annotations")
                        .or(resideInAPackage("io.fairlead.services"))
                        .or(resideInAnyPackage(
                                "io.fairlead", "io.fairlead.config", "io.fairlead.node", "io.fairlead.node.discovery")))
                .because("what typed services need, every application can use, and it chooses the format")
                .check(new ClassFileImporter()
                        .importUrl(TypedServices.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()));
    }
}
