package io.fairlead.netty.suite;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs Netty's suites over lanes. */
final class NettySuite {
    private NettySuite() {}

    public static void main(String[] args) {
        for (String lane : args[0].split(",")) {
            long started = System.nanoTime();
            Recorder recorder = run(lane, args.length > 1 ? args[1] : "");
            System.out.printf("LANE %s: %d cases, %d passed, %d skipped, %d failed, %d s%n", lane, recorder.all, recorder.passed, recorder.skipped, recorder.failed.size(), (System.nanoTime() - started) / 1_000_000_000);
            recorder.failed.forEach((name, cause) -> System.out.println("FAILED " + lane + " " + name + ": " + cause));
        }
    }

    static Recorder run(String name, String only) {
        Recorder recorder = new Recorder();
        try (NettyLane lane = NettyLane.open(name)) {
            List<Class<?>> classes = new ArrayList<>(Suites.all());
            classes.removeIf(suite -> !only.isEmpty() && !suite.getSimpleName().matches(only));
            LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                    .selectors(classes.stream().map(suite -> selectClass(suite)).toList())
                    .configurationParameter("junit.jupiter.execution.timeout.default", "60 s")
                    .configurationParameter("junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
                    .build();
            LauncherFactory.create().execute(request, recorder);
        }
        return recorder;
    }

    static final class Recorder implements TestExecutionListener {
        int all;
        int passed;
        int skipped;
        final Map<String, String> failed = new TreeMap<>();
        final Map<String, Long> started = new TreeMap<>();

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            skipped++;
            all++;
            System.out.println("SKIPPED " + name(test) + " " + reason);
        }

        @Override
        public void executionStarted(TestIdentifier test) {
            started.put(test.getUniqueId(), System.nanoTime());
        }

        private String name(TestIdentifier test) {
            return test.getUniqueId().replaceAll(".*Suites\\$|\\]", "").replaceAll("/\\[[a-z-]*:", "#");
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (!test.isTest()) {
                if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                    failed.put(name(test), String.valueOf(result.getThrowable().orElse(null)));
                }
                return;
            }
            all++;
            switch (result.getStatus()) {
                case SUCCESSFUL -> passed++;
                case ABORTED -> skipped++;
                case FAILED -> {
                    failed.put(name(test), String.valueOf(result.getThrowable().orElse(null)));
                    if (Boolean.getBoolean("trace")) result.getThrowable().orElseThrow().printStackTrace();
                }
            }
            System.out.printf("%s %s %d ms%n", result.getStatus(), name(test), (System.nanoTime() - started.get(test.getUniqueId())) / 1_000_000);
        }
    }
}
