package io.fairlead.tck;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.testng.IConfigurationListener;
import org.testng.ITestListener;
import org.testng.ITestResult;
import org.testng.TestNG;

/** Runs a class of TestNG's and tells what became of each case. */
final class TckRun implements ITestListener {
    /** By name, as TestNG tells some listeners of a case twice. */
    private final Map<String, Case> cases = new ConcurrentSkipListMap<>();

    enum Outcome {
        PASSED,
        SKIPPED,
        FAILED
    }

    /**
     * A case that has run.
     *
     * @param name its method
     * @param outcome what became of it
     * @param cause why it failed or was skipped
     */
    record Case(String name, Outcome outcome, Optional<Throwable> cause) {}

    private TckRun() {}

    static List<Case> of(Class<?> suite) {
        TckRun run = new TckRun();
        TestNG runner = new TestNG(false);
        runner.setVerbose(0);
        runner.setTestClasses(new Class<?>[] {suite});
        runner.addListener(run);
        runner.addListener(run.new Configurations());
        runner.run();
        return List.copyOf(run.cases.values());
    }

    private void add(ITestResult result, Outcome outcome) {
        String name = result.getMethod().getMethodName();
        cases.merge(
                name,
                new Case(name, outcome, Optional.ofNullable(result.getThrowable())),
                (before, now) -> before.outcome().compareTo(now.outcome()) > 0 ? before : now);
    }

    @Override
    public void onTestSuccess(ITestResult result) {
        add(result, Outcome.PASSED);
    }

    @Override
    public void onTestSkipped(ITestResult result) {
        add(result, Outcome.SKIPPED);
    }

    @Override
    public void onTestFailure(ITestResult result) {
        add(result, Outcome.FAILED);
    }

    @Override
    public void onTestFailedWithTimeout(ITestResult result) {
        add(result, Outcome.FAILED);
    }

    /** What is done before and after the cases counts as a case if it fails. */
    private final class Configurations implements IConfigurationListener {
        @Override
        public void onConfigurationFailure(ITestResult result) {
            add(result, Outcome.FAILED);
        }
    }
}
