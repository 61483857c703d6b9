package io.fairlead.node;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What this module may depend on, and which of its packages may use which. */
@Timeout(120)
final class NodeArchitectureTest {
    private static final JavaClasses NODE = new ClassFileImporter()
            .importUrl(Node.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void shouldBeBuiltOnTheApiAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAPackage("io.fairlead..")
                        .negate()
                        .or(resideInAnyPackage(
                                "io.fairlead",
                                "io.fairlead.config",
                                "io.fairlead.statistics",
                                "io.fairlead.observation",
                                "io.fairlead.node..",
                                "io.fairlead.internal.log",
                                "io.fairlead.internal.names",
                                "io.fairlead.spi",
                                "io.fairlead.spi.host")))
                .because("what a node needs, every application can use; its log lines look like the engine's")
                .check(NODE);
    }

    @Test
    void shouldHaveNoCycleAmongPackages() {
        slices().matching("io.fairlead.node.internal.(*)")
                .should()
                .beFreeOfCycles()
                .check(NODE);
    }
}
