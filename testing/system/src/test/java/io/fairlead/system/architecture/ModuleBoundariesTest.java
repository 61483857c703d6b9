package io.fairlead.system.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.module.ModuleDescriptor;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the modules may see of each other. It stands in the module that sees them all. */
@Timeout(120)
final class ModuleBoundariesTest {
    /** Where JUCX belongs, and native calls of UCX. */
    private static final String UCX = "io.fairlead.transport.ucx";

    /** Where native calls of libc belong. */
    private static final String SHM = "io.fairlead.transport.shm";

    private static final JavaClasses MODULES = new ClassFileImporter()
            // The library's own option for this knows Maven's folders only as they are by default.
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.fairlead");

    @Test
    void shouldSeeEveryModule() {
        Set<String> packages =
                MODULES.stream().map(type -> type.getPackageName()).collect(Collectors.toSet());
        for (String expected : List.of(
                "io.fairlead",
                "io.fairlead.transport.tcp",
                SHM,
                UCX,
                "io.fairlead.testkit.contract",
                "io.fairlead.testkit.layers",
                "io.fairlead.metrics",
                "io.fairlead.netty",
                "io.fairlead.node.internal.loop",
                "io.fairlead.pubsub.internal",
                "io.fairlead.services",
                "io.fairlead.security",
                "io.fairlead.samples.cache",
                "io.fairlead.cli.command")) {
            assertTrue(packages.contains(expected), () -> expected + " is not among " + new TreeSet<>(packages));
        }
    }

    @Test
    void shouldKeepTheEngineToCore() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.fairlead.transport..",
                        "io.fairlead.metrics..",
                        "io.fairlead.netty..",
                        "io.fairlead.samples..")
                .should()
                .dependOnClassesThat(resideInAPackage("io.fairlead.internal.."))
                .check(MODULES);
        noClasses()
                .that()
                .resideInAPackage("io.fairlead.security..")
                .should()
                // Files of keys and files of rules are watched in one way, and name identities in one way.
                .dependOnClassesThat(resideInAPackage("io.fairlead.internal..")
                        .and(resideOutsideOfPackage("io.fairlead.internal.files"))
                        .and(resideOutsideOfPackage("io.fairlead.internal.access")))
                .check(MODULES);
        noClasses()
                .that()
                .resideInAPackage("io.fairlead.testkit..")
                .should()
                // The testkit chooses a context's transports, which no application has to.
                .dependOnClassesThat(resideInAPackage("io.fairlead.internal..")
                        .and(resideOutsideOfPackage("io.fairlead.internal.providers")))
                .check(MODULES);
        noClasses()
                .that()
                .resideInAPackage("io.fairlead.cli..")
                .should()
                // Which core exports to the command, so that both find mistyped names alike, the same transports and
                // files, and doctor sees what a context would.
                .dependOnClassesThat(resideInAPackage("io.fairlead.internal..")
                        .and(resideOutsideOfPackage("io.fairlead.internal.diagnosis"))
                        .and(resideOutsideOfPackage("io.fairlead.internal.files"))
                        .and(resideOutsideOfPackage("io.fairlead.internal.names"))
                        .and(resideOutsideOfPackage("io.fairlead.internal.providers")))
                .check(MODULES);
    }

    @Test
    void shouldKeepRegistriesAndTheirServersToMetrics() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.fairlead.metrics..")
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("io.micrometer..", "io.prometheus..", "com.sun.net.httpserver.."))
                .because("what is counted must not depend on who looks at it")
                .check(MODULES);
    }

    @Test
    void shouldLogBySlf4jAloneAndBringABackEndInTheCommandOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.fairlead.cli..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "ch.qos.logback..",
                        "java.util.logging..",
                        "org.apache.logging..",
                        "org.apache.commons.logging.."))
                .orShould()
                .dependOnClassesThat(assignableTo(System.Logger.class))
                .because("the application that embeds the library chooses where its log goes")
                .check(MODULES);
    }

    /** A rule about classes does not see what a descriptor asks for. */
    @Test
    void shouldRequireABackEndInTheCommandOnly() throws IOException {
        Set<String> requiring = new TreeSet<>();
        for (URL location : Collections.list(getClass().getClassLoader().getResources("module-info.class"))) {
            ModuleDescriptor descriptor = descriptorAt(location);
            if (descriptor.name().startsWith("io.fairlead")
                    && descriptor.requires().stream().anyMatch(module -> isBackEnd(module.name()))) {
                requiring.add(descriptor.name());
            }
        }
        assertEquals(Set.of("io.fairlead.cli"), requiring);
    }

    private static boolean isBackEnd(String module) {
        return module.startsWith("ch.qos.logback") || module.equals("java.logging") || module.startsWith("org.apache");
    }

    @Test
    void shouldWriteTransportsAgainstTheApiAndTheSpiAlone() {
        classes()
                .that()
                .resideInAPackage("io.fairlead.transport..")
                .should()
                .onlyDependOnClassesThat(resideInAPackage("io.fairlead..")
                        .negate()
                        .or(resideInAnyPackage(
                                "io.fairlead",
                                "io.fairlead.config",
                                "io.fairlead.statistics",
                                "io.fairlead.spi..",
                                "io.fairlead.transport..")))
                .because("a transport by others has nothing else either")
                .check(MODULES);
    }

    /**
     * In every module that stands here the packages use each other one way. An API names the engine that it starts, which in turn implements the API: these arrows
     * alone are left out.
     */
    @Test
    void shouldHaveNoCycleAmongPackages() {
        slices().matching("io.(**)")
                .should()
                .beFreeOfCycles()
                .ignoreDependency(
                        resideInAPackage("io.fairlead"),
                        resideInAnyPackage(
                                "io.fairlead.config",
                                "io.fairlead.internal..",
                                "io.fairlead.spi.host",
                                "io.fairlead.statistics"))
                .ignoreDependency(resideInAPackage("io.fairlead.node"), resideInAPackage("io.fairlead.node.internal.."))
                .ignoreDependency(
                        resideInAPackage("io.fairlead.pubsub"), resideInAPackage("io.fairlead.pubsub.internal.."))
                .check(MODULES);
    }

    /** The command's root knows all of its packages, and they know each other one way. */
    @Test
    void shouldHaveNoCycleAmongThePackagesOfTheCommand() {
        slices().matching("io.fairlead.cli.(**)").should().beFreeOfCycles().check(MODULES);
        noClasses()
                .that()
                .resideInAPackage("io.fairlead.cli.*..")
                .should()
                .dependOnClassesThat(resideInAPackage("io.fairlead.cli"))
                .check(MODULES);
    }

    @Test
    void shouldKeepTestToolingOutOfWhatIsShipped() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.fairlead.testkit..", "io.fairlead.cli.roce")
                .should()
                .dependOnClassesThat(resideInAPackage("io.fairlead.testkit.."))
                .because("only roce-test is started with the testkit")
                .check(MODULES);
    }

    /** So that a transport builds and runs its suites without the modules that are built on it. */
    @Test
    void shouldKeepLayersOutOfTheContractOfTransports() {
        noClasses()
                .that()
                .resideInAPackage("io.fairlead.testkit..")
                .and()
                .resideOutsideOfPackage("io.fairlead.testkit.layers..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.fairlead.node..",
                        "io.fairlead.pubsub..",
                        "io.fairlead.services..",
                        "io.fairlead.testkit.layers.."))
                .check(MODULES);
    }

    @Test
    void shouldKeepUcxToItsPackage() {
        noClasses()
                .that(resideInAPackage(UCX).negate())
                .should()
                .dependOnClassesThat(resideInAPackage("org.openucx.."))
                .because("the rules by which JUCX does not end the process are kept in one place")
                .check(MODULES);
    }

    @Test
    void shouldKeepTheMakingOfCertificatesToItsPackage() {
        noClasses()
                .that(resideInAPackage("io.fairlead.security.certificates").negate())
                .should()
                .dependOnClassesThat(resideInAPackage("org.bouncycastle.."))
                .because("cryptography is the JDK's; the library only writes certificates")
                .check(MODULES);
    }

    @Test
    void shouldKeepTransportsApart() {
        slices().matching("io.fairlead.transport.(*)..")
                .should()
                .notDependOnEachOther()
                .check(MODULES);
    }

    @Test
    void shouldKeepNativeCallsToTheTransportsThatNeedThem() {
        noClasses()
                .that(resideInAnyPackage(UCX, SHM).negate())
                .should()
                .dependOnClassesThat(assignableTo(Linker.class).or(assignableTo(SymbolLookup.class)))
                .orShould()
                .callMethodWhere(
                        target(owner(assignableTo(MemorySegment.class))).and(target(name("reinterpret"))))
                .orShould()
                .callMethodWhere(target(owner(assignableTo(System.class).or(assignableTo(Runtime.class))))
                        .and(target(nameMatching("load|loadLibrary"))))
                .because("a wrong native call ends the process, and a reader must know where to look")
                .check(MODULES);
    }

    /** The rules above would be kept by an import that missed the package, or by one that saw no calls. */
    @Test
    void shouldSeeTheNativeCallsThatThereAre() {
        assertUsed(UCX, "org.openucx.jucx.ucp.UcpContext", Linker.class.getName(), SymbolLookup.class.getName());
        assertUsed(SHM, Linker.class.getName(), MemorySegment.class.getName());
    }

    private static void assertUsed(String user, String... types) {
        Set<String> used = MODULES.stream()
                .filter(resideInAPackage(user))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(dependency -> dependency.getTargetClass().getFullName())
                .collect(Collectors.toSet());
        for (String expected : types) {
            assertTrue(used.contains(expected), () -> expected + " is used by nobody in " + user);
        }
    }

    /** Applications run on the module path or on the class path, and find the same services on both. */
    @Test
    void shouldDeclareTheSameServicesForModulePathAndClassPath() throws IOException {
        Set<String> modules = new HashSet<>();
        for (URL location : Collections.list(getClass().getClassLoader().getResources("module-info.class"))) {
            ModuleDescriptor descriptor = descriptorAt(location);
            if (!descriptor.name().startsWith("io.fairlead")) {
                continue;
            }
            modules.add(descriptor.name());
            for (Map.Entry<String, List<String>> service :
                    servicesOf(descriptor).entrySet()) {
                assertEquals(
                        service.getValue(),
                        providersBeside(location, service.getKey()),
                        descriptor.name() + " provides " + service.getKey()
                                + ": module-info against META-INF/services");
            }
        }
        assertTrue(
                modules.containsAll(Set.of(
                        "io.fairlead",
                        "io.fairlead.security",
                        "io.fairlead.testkit",
                        "io.fairlead.testkit.layers",
                        "io.fairlead.transport.tcp",
                        "io.fairlead.transport.shm",
                        "io.fairlead.transport.ucx")),
                modules::toString);
    }

    /** Every service that some module of the project uses or provides, with the providers of this one. */
    private static Map<String, List<String>> servicesOf(ModuleDescriptor descriptor) {
        Map<String, List<String>> services = new TreeMap<>();
        services.put("io.fairlead.spi.TransportProvider", List.of());
        services.put("io.fairlead.cli.command.SubcommandProvider", List.of());
        descriptor.provides().forEach(provides -> services.put(provides.service(), provides.providers()));
        return services;
    }

    private static ModuleDescriptor descriptorAt(URL location) throws IOException {
        try (InputStream classFile = location.openStream()) {
            return ModuleDescriptor.read(classFile);
        }
    }

    private static List<String> providersBeside(URL descriptor, String service) throws IOException {
        URL declaration = URI.create(descriptor.toString().replace("module-info.class", "META-INF/services/" + service))
                .toURL();
        List<String> providers = new ArrayList<>();
        try (InputStream lines = declaration.openStream()) {
            new String(lines.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.replaceFirst("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .forEach(providers::add);
        } catch (FileNotFoundException absent) {
            return List.of();
        }
        return providers;
    }
}
