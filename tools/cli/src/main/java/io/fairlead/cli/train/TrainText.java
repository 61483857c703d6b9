package io.fairlead.cli.train;

import io.fairlead.samples.training.RingPath;
import java.util.Locale;

/** The result of a training for a reader. */
final class TrainText {
    private static final String ROW = "%-16s %10s %14s  %s%n";

    private TrainText() {}

    static void print(TrainReport report) {
        print(ROW, "path", "steps/s", "all-reduce us", "weights");
        for (TrainReport.Run run : report.runs()) {
            if (run.unavailable().isPresent()) {
                print(
                        ROW,
                        run.policy(),
                        "-",
                        "-",
                        "no run: " + run.unavailable().get());
            } else {
                print(
                        ROW,
                        run.transports(),
                        number("%,.0f", run.stepsPerSecond()),
                        number("%,.1f", run.allReduceUs()),
                        run.identical()
                                ? "identical to those of the single process"
                                : "DIFFERENT: " + String.join(", ", run.weightsHash()));
            }
        }
        print(
                ROW,
                "single process",
                number("%,.0f", report.singleProcess().stepsPerSecond()),
                "-",
                "sha-256 " + report.singleProcess().weightsHash());
        System.out.println();
        report.runs().forEach(run -> run.pairs().forEach(TrainText::print));
        print(
                "%,d weights after %,d steps; on strikes held out from training: loss %.4f (%.4f by the share of damage alone), AUC"
                        + " %.3f%n",
                report.weights(),
                report.steps(),
                report.heldOut().loss(),
                report.heldOut().baseLoss(),
                report.heldOut().auc());
    }

    private static void print(TrainReport.Pair pair) {
        RingPath path = pair.path();
        print(
                "worker %d -> worker %d  %s over %s%s: %s%n",
                pair.from(),
                pair.to(),
                path.transport(),
                path.device(),
                path.lanes().isEmpty() ? "" : " " + path.lanes(),
                path.reason());
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private static void print(String format, Object... arguments) {
        System.out.printf(Locale.ROOT, format, arguments);
    }
}
