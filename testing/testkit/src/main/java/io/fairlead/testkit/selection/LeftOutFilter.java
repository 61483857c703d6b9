package io.fairlead.testkit.selection;

import io.fairlead.testkit.contract.ContractSuites;
import io.fairlead.testkit.contract.TransportContract;
import io.fairlead.testkit.contract.TransportUnderTest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.suite.api.ConfigurationParameter;

/**
 * Takes the suites and cases that a transport {@linkplain TransportUnderTest#leftOut() leaves out} from what a class with
 * {@link ContractSuites}, or one that names such a transport and selects some suites, has found. It has no say over other tests.
 */
public final class LeftOutFilter implements PostDiscoveryFilter {
    /** The packages with suites; only some runs have the suites of the layers on their path. */
    private static final List<String> PACKAGES =
            List.of(TransportContract.class.getPackageName(), "io.fairlead.testkit.layers");

    /** By the class that runs suites. */
    private final Map<Class<?>, Map<String, String>> reasonsByRun = new HashMap<>();

    /** Creates the filter; JUnit's launcher does. */
    public LeftOutFilter() {}

    /** Looks at cases only: the launcher asks of nothing that has others below it, and drops a suite when its last case is gone. */
    @Override
    public FilterResult apply(TestDescriptor descriptor) {
        if (descriptor.getSource().orElse(null) instanceof MethodSource method) {
            Map<String, String> reasons = run(descriptor).map(this::reasons).orElse(Map.of());
            String suite = method.getClassName().substring(method.getClassName().lastIndexOf('.') + 1);
            String reason = reasons.getOrDefault(suite, reasons.get(suite + "." + method.getMethodName()));
            if (reason != null) {
                return FilterResult.excluded(reason);
            }
        }
        return FilterResult.included("not left out");
    }

    private static Optional<Class<?>> run(TestDescriptor descriptor) {
        Optional<TestDescriptor> above = descriptor.getParent();
        while (above.isPresent()) {
            if (above.get().getSource().orElse(null) instanceof ClassSource source
                    && (AnnotationSupport.isAnnotated(source.getJavaClass(), ContractSuites.class)
                            || transport(source.getJavaClass()).isPresent())) {
                return Optional.of(source.getJavaClass());
            }
            above = above.get().getParent();
        }
        return Optional.empty();
    }

    private Map<String, String> reasons(Class<?> run) {
        return reasonsByRun.computeIfAbsent(run, LeftOutFilter::read);
    }

    private static Map<String, String> read(Class<?> run) {
        Map<String, String> reasons = transport(run)
                .map(TransportUnderTest::named)
                .orElseThrow(() -> new IllegalStateException(
                        run.getName() + " has no @ConfigurationParameter for " + ContractSuites.TRANSPORT))
                .leftOut();
        for (String name : reasons.keySet()) {
            check(name, run);
        }
        return reasons;
    }

    private static Optional<String> transport(Class<?> run) {
        return AnnotationSupport.findRepeatableAnnotations(run, ConfigurationParameter.class).stream()
                .filter(parameter -> parameter.key().equals(ContractSuites.TRANSPORT))
                .findFirst()
                .map(ConfigurationParameter::value);
    }

    /** A name that is out of date would let a case run that cannot pass, or hide that it passes by now. */
    private static void check(String leftOut, Class<?> run) {
        String[] parts = leftOut.split("\\.", 2);
        Optional<Class<?>> suite = PACKAGES.stream()
                .flatMap(name -> ReflectionSupport.tryToLoadClass(name + "." + parts[0]).toOptional().stream())
                .findFirst();
        boolean known = suite.isPresent()
                && (parts.length == 1
                        || !ReflectionSupport.findMethods(
                                        suite.get(),
                                        method -> method.getName().equals(parts[1]),
                                        HierarchyTraversalMode.BOTTOM_UP)
                                .isEmpty());
        if (!known) {
            throw new IllegalStateException("left out by the transport of " + run.getName()
                    + ", but there is no such suite or case: " + leftOut);
        }
    }
}
