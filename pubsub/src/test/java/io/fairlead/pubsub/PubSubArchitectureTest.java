package io.fairlead.pubsub;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.LayerHandler;
import io.fairlead.spi.LayerWorker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What this module may depend on. */
@Timeout(120)
final class PubSubArchitectureTest {
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
                                "io.fairlead.node",
                                "io.fairlead.node.discovery",
                                "io.fairlead.pubsub..",
                                "io.fairlead.internal.log",
                                "io.fairlead.internal.names",
                                "io.fairlead.spi.host"))
                        .or(type(LayerHandler.class))
                        .or(type(LayerWorker.class))
                        .or(type(CloseSteps.class)))
                .because(
                        "what publish-subscribe needs, every application can use; its log lines look like the engine's")
                .check(new ClassFileImporter()
                        .importUrl(Publisher.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()));
    }
}
