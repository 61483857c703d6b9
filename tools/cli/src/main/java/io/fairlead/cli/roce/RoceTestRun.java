package io.fairlead.cli.roce;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.Range;
import io.fairlead.cli.process.JavaCommand;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.testkit.roce.RoceException;
import io.fairlead.testkit.roce.RoceSuite;
import io.fairlead.testkit.roce.RoceTest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What {@code fairlead roce-test} does once the testkit is known to be there. */
final class RoceTestRun {
    /** The launcher sets it: the class path of the contract suites over UCX, or of what speaks gRPC. */
    private static final String TEST_PATH = "fairlead.roce.tests";

    private RoceTestRun() {}

    static int run(
            String name,
            List<String> only,
            Optional<Integer> guests,
            boolean keep,
            Path reports,
            Optional<Integer> limitMinutes)
            throws IOException, InterruptedException {
        RoceSuite suite = RoceSuite.named(name);
        int minutes = limitMinutes.orElse(suite.limitMinutes());
        Range.between("--limit", minutes, 1, RoceTest.LIMIT_MINUTES_MAX);
        guests.ifPresent(count -> Range.between("--guests", count, 1, suite.guestsMax()));
        RoceTest test = new RoceTest(
                new RoceTest.Options(suite, only, guests, minutes, reports, keep),
                new RoceTest.Command(
                        System.getProperty("java.class.path"), JavaCommand.MAIN, System.getProperty(TEST_PATH, "")),
                System.out::println);
        // A signal waits until what the run has made is gone too.
        try (StopSignal stop = StopSignal.install()) {
            stop.onRequest(test::stop);
            return test.run() ? 0 : CommandFailure.FAILED;
        } catch (RoceException failed) {
            throw CommandFailure.failed(String.valueOf(failed.getMessage()));
        }
    }
}
