package io.fairlead.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.INTERFACES;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameStartingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What core may depend on, what it exports, and which of its layers may see which. */
@Timeout(120)
final class CoreArchitectureTest {
    private static final Set<String> EXPORTED = Set.of(
            "io.fairlead",
            "io.fairlead.config",
            "io.fairlead.observation",
            "io.fairlead.spi",
            "io.fairlead.spi.host",
            "io.fairlead.spi.security",
            "io.fairlead.spi.served",
            "io.fairlead.statistics");
    private static final String EXPORTED_TYPES = "exported-types.txt";

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPath(classesOfCore());

    @Test
    void shouldUseTheJdkAndFiveNamedLibrariesOnly() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java..",
                        "javax.crypto..",
                        "javax.net.ssl..",
                        "jdk.jfr..",
                        "io.fairlead..",
                        "org.slf4j..",
                        "com.typesafe.config..",
                        "org.jctools..",
                        "org.jspecify.annotations..",
                        "com.google.errorprone.annotations.."))
                .because("a library near the bottom of many class paths drags along as little as it can")
                .check(CORE);
    }

    @Test
    void shouldUseNoQueueOnUnsafe() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("org.jctools.queues.atomic..", "org.jctools.util..")
                        .negate()
                        .and(resideInAPackage("org.jctools.."))
                        .and(INTERFACES.negate())
                        .or(simpleNameStartingWith("Unsafe")))
                .because("the JDK is about to remove sun.misc.Unsafe; org.jctools.queues.atomic has the same queues")
                .check(CORE);
    }

    @Test
    void shouldHaveNoPackageCycleButThoseOfTheApi() {
        slices().matching("io.(**)")
                .should()
                .beFreeOfCycles()
                .ignoreDependency(resideInAPackage("io.fairlead"), resideInAPackage("io.fairlead.internal.."))
                .ignoreDependency(
                        resideInAPackage("io.fairlead"),
                        resideInAnyPackage("io.fairlead.config", "io.fairlead.statistics", "io.fairlead.spi.host"))
                .check(CORE);
    }

    @Test
    void shouldReachTheEngineFromTheListedEntryPointsOnly() {
        classes()
                .that()
                .resideInAPackage("io.fairlead")
                .and()
                .doNotHaveSimpleName("Context")
                .and()
                .doNotHaveSimpleName("FairleadConfig")
                .should()
                .onlyDependOnClassesThat(
                        resideInAPackage("io.fairlead.internal..").negate())
                .because(
                        "the API describes the engine, and names it only where an application starts it or loads its configuration")
                .check(CORE);
    }

    @Test
    void shouldExportExactlyTheTypesThatAreListed() throws IOException {
        Set<String> unlisted = CORE.stream()
                .filter(type -> EXPORTED.contains(type.getPackageName()))
                .filter(CoreArchitectureTest::isVisibleToApplications)
                .map(JavaClass::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> gone = new TreeSet<>(listedTypes());
        gone.removeAll(unlisted);
        unlisted.removeAll(listedTypes());

        assertTrue(
                unlisted.isEmpty() && gone.isEmpty(),
                () -> "each exported type is a promise; if this change is meant, write it into " + EXPORTED_TYPES
                        + " in the test resources of core: unlisted=" + unlisted + ", gone=" + gone);
    }

    private static boolean isVisibleToApplications(JavaClass type) {
        boolean visible = type.getModifiers().contains(JavaModifier.PUBLIC)
                || type.getModifiers().contains(JavaModifier.PROTECTED);
        return visible
                && type.getEnclosingClass()
                        .map(CoreArchitectureTest::isVisibleToApplications)
                        .orElse(true);
    }

    private static List<String> listedTypes() throws IOException {
        try (InputStream resource = CoreArchitectureTest.class.getResourceAsStream(EXPORTED_TYPES)) {
            Objects.requireNonNull(resource, EXPORTED_TYPES);
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        }
    }

    /** Finds main code by a file that only it has, so that neither tests nor other modules are judged. */
    private static Path classesOfCore() {
        URL descriptor =
                Objects.requireNonNull(CoreArchitectureTest.class.getResource("/io/fairlead/package-info.class"));
        return Path.of(URI.create(descriptor.toString())).resolve("../../..").normalize();
    }
}
