package io.fairlead.testkit.selection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.fairlead.Capability;
import io.fairlead.PathClass;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.contract.ContractSuites;
import io.fairlead.testkit.contract.TransportUnderTest;
import io.fairlead.testkit.internal.RepositoryRoot;
import io.fairlead.testkit.loopback.LoopbackProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.suite.api.ConfigurationParameter;

/** What a class with {@link ContractSuites} runs: all suites, but for what its transport leaves out by name. */
@Timeout(60)
final class ContractSuitesTest {
    private static final String HERE = "io.fairlead.testkit.selection.ContractSuitesTest$";
    private static final String ONE_CASE = "TaggedMaskContract.shouldRefuseMasksOutOfRange";
    private static final String LOOPBACK = "io.fairlead.testkit.loopback.LoopbackContractTest";

    /** A transport that leaves out what a test wants to have left out. */
    private abstract static class Leaving implements TransportUnderTest {
        private final TransportProvider provider = LoopbackProvider.available();
        private final Map<String, String> leftOut;

        Leaving(String... names) {
            leftOut = Arrays.stream(names).collect(Collectors.toMap(Function.identity(), name -> "for a test"));
        }

        @Override
        public TransportProvider provider() {
            return provider;
        }

        @Override
        public Set<Capability> capabilities() {
            return EnumSet.allOf(Capability.class);
        }

        @Override
        public PathClass pathClass() {
            return PathClass.IN_PROCESS;
        }

        @Override
        public Map<String, String> leftOut() {
            return leftOut;
        }
    }

    static final class Nothing extends Leaving {}

    static final class OneCase extends Leaving {
        OneCase() {
            super(ONE_CASE);
        }
    }

    static final class MissingSuite extends Leaving {
        MissingSuite() {
            super("MissingContract");
        }
    }

    static final class MissingCase extends Leaving {
        MissingCase() {
            super("TaggedMaskContract.shouldBeMissing");
        }
    }

    @ContractSuites
    @ConfigurationParameter(key = ContractSuites.TRANSPORT, value = HERE + "Nothing")
    static final class LeavingNothing {}

    @ContractSuites
    @ConfigurationParameter(key = ContractSuites.TRANSPORT, value = HERE + "OneCase")
    static final class LeavingOneCase {}

    @ContractSuites
    @ConfigurationParameter(key = ContractSuites.TRANSPORT, value = HERE + "MissingSuite")
    static final class LeavingMissingSuite {}

    @ContractSuites
    @ConfigurationParameter(key = ContractSuites.TRANSPORT, value = HERE + "MissingCase")
    static final class LeavingMissingCase {}

    @ContractSuites
    static final class WithoutTransport {}

    @Test
    void shouldFindEverySuiteByItself() throws IOException {
        assertEquals(suitesInTheSources(), suites(found(HERE + "LeavingNothing")));
    }

    /** So that nothing goes missing over the reference transport unnoticed: other processes, and one count of allocations. */
    @Test
    void shouldLeaveOutNothingButOtherProcessesOverLoopback() {
        Set<String> missing = found(HERE + "LeavingNothing");
        missing.removeAll(found(LOOPBACK));
        assertTrue(missing.remove("ActiveMessageContract.shouldAllocateNothingForAMessage"), missing::toString);
        assertEquals(Set.of("FaultRoundsContract", "HostLossContract", "ProcessContract"), suites(missing));
        assertEquals(
                Set.of(),
                suites(missing).stream()
                        .filter(suites(found(LOOPBACK))::contains)
                        .collect(Collectors.toSet()));
    }

    @Test
    void shouldLeaveOutOneCase() {
        Set<String> missing = found(HERE + "LeavingNothing");
        missing.removeAll(found(HERE + "LeavingOneCase"));
        assertEquals(Set.of(ONE_CASE), missing);
    }

    /** A name that is out of date would leave out nothing, or hide that a case passes by now. */
    @Test
    void shouldRefuseNamesOfNoSuiteOrCase() {
        for (String run : List.of("LeavingMissingSuite", "LeavingMissingCase")) {
            IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> found(HERE + run));
            assertTrue(thrown.getMessage().contains("there is no such suite or case: "), thrown::getMessage);
        }
    }

    @Test
    void shouldRefuseARunThatNamesNoTransport() {
        IllegalStateException thrown =
                assertThrows(IllegalStateException.class, () -> found(HERE + "WithoutTransport"));
        assertTrue(thrown.getMessage().contains(ContractSuites.TRANSPORT), thrown::getMessage);
    }

    @Test
    void shouldRefuseAClassThatIsNoTransport() {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> TransportUnderTest.named("com.example.Missing"))
                .getMessage()
                .contains("com.example.Missing"));
        assertTrue(assertThrows(
                        IllegalArgumentException.class,
                        () -> TransportUnderTest.named(getClass().getName()))
                .getMessage()
                .contains("does not implement"));
    }

    /** The cases that a run finds, as suite and method. */
    private static Set<String> found(String run) {
        TestPlan plan = LauncherFactory.create()
                .discover(LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(run))
                        .build());
        return plan.getRoots().stream()
                .flatMap(root -> plan.getDescendants(root).stream())
                .flatMap(found -> found.getSource().stream())
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .map(method -> method.getJavaClass().getSimpleName() + "." + method.getMethodName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> suites(Set<String> cases) {
        return cases.stream().map(name -> name.split("\\.", 2)[0]).collect(Collectors.toCollection(TreeSet::new));
    }

    /** By their files, which is not how a run finds them. */
    private static Set<String> suitesInTheSources() throws IOException {
        try (Stream<Path> files = Files.list(
                RepositoryRoot.path().resolve("testing/testkit/src/main/java/io/fairlead/testkit/contract"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith("Contract.java") && !name.equals("TransportContract.java"))
                    .map(name -> name.replace(".java", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
