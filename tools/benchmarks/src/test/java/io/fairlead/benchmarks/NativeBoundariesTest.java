package io.fairlead.benchmarks;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameStartingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Raw JUCX is a contestant here, and the one exception to the rule that only the UCX transport calls native code. */
@Timeout(120)
final class NativeBoundariesTest {
    private static final String LINK = "io.fairlead.benchmarks.contest.JucxLink";

    private static final JavaClasses BENCHMARKS = new ClassFileImporter()
            // The library's own option for this knows Maven's folders only as they are by default.
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.fairlead.benchmarks");

    @Test
    void shouldKeepJucxToTheContestant() {
        assertTrue(BENCHMARKS.stream().anyMatch(type -> type.getName().equals(LINK)), LINK + " is not seen");
        noClasses()
                .that(nameStartingWith(LINK).negate())
                .should()
                .dependOnClassesThat(resideInAPackage("org.openucx.."))
                .check(BENCHMARKS);
    }

    @Test
    void shouldCallNativeCodeNowhere() {
        noClasses()
                .should()
                .dependOnClassesThat(assignableTo(Linker.class).or(assignableTo(SymbolLookup.class)))
                .check(BENCHMARKS);
    }
}
