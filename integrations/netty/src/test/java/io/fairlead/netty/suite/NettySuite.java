package io.fairlead.netty.suite;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs suites of Netty's over one lane, and counts. */
final class NettySuite implements TestExecutionListener {
    /** Of one suite. */
    static final class Counts {
        int passed;
        int skipped;
        /** The cases that failed, and why. */
        final Map<String, String> failed = new TreeMap<>();

        int cases() {
            return passed + skipped + failed.size();
        }
    }

    private final Map<String, Counts> suites = new TreeMap<>();

    private NettySuite() {}

    /** Runs the cases that a filter takes, by suite and method. */
    static Map<String, Counts> run(String lane, Collection<Class<?>> suites, BiPredicate<Class<?>, String> cases) {
        NettySuite recorder = new NettySuite();
        NettyLane opened = NettyLane.open(lane);
        try {
            LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                    .selectors(suites.stream().map(suite -> selectClass(suite)).toList())
                    .filters((PostDiscoveryFilter) test -> FilterResult.includedIf(test.getSource()
                            .map(source -> isTaken(source, cases))
                            .orElse(true)))
                    .configurationParameter("junit.jupiter.execution.timeout.default", "120 s")
                    .configurationParameter("junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
                    .build();
            LauncherFactory.create().execute(request, recorder);
        } finally {
            opened.close();
        }
        return recorder.suites;
    }

    private static boolean isTaken(TestSource source, BiPredicate<Class<?>, String> cases) {
        return !(source instanceof MethodSource method) || cases.test(method.getJavaClass(), method.getMethodName());
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        if (test.isTest()) {
            counts(test).skipped++;
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (!test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
            return;
        }
        switch (result.getStatus()) {
            case SUCCESSFUL -> counts(test).passed++;
            case ABORTED -> counts(test).skipped++;
            case FAILED ->
                counts(test)
                        .failed
                        .put(name(test), String.valueOf(result.getThrowable().orElse(null)));
        }
    }

    private Counts counts(TestIdentifier test) {
        return suites.computeIfAbsent(name(test).replaceFirst("#.*", ""), _ -> new Counts());
    }

    /** The suite, the case's method, and which of its runs. */
    private static String name(TestIdentifier test) {
        String id = test.getUniqueId().replaceFirst(".*Suites\\$", "");
        String suite = id.replaceFirst("[]/].*", "");
        String method = id.replaceFirst("^[^\\[]*", "").replaceFirst(".*?:(\\w+)\\(.*", "$1");
        String run = id.contains("invocation:")
                ? id.replaceFirst(".*invocation:", "").replace("]", "")
                : "";
        return suite + "#" + method + run;
    }
}
