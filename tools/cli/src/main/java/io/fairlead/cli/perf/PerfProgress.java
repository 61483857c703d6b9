package io.fairlead.cli.perf;

import io.fairlead.cli.command.Terminal;
import java.util.Optional;
import java.util.function.Consumer;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows on standard error how far a measurement is: a bar on a terminal, else a line for each case. */
public final class PerfProgress implements Consumer<String>, AutoCloseable {
    /** Drawing takes time from those who are measured, so it is seldom done. */
    private static final int DRAW_MS = 1000;

    private static final int WIDTH = 100;
    private static final String NEW_CASE = ": warming up fairlead";

    private final Optional<ProgressBar> bar;

    public PerfProgress(long steps) {
        bar = Terminal.isError()
                ? Optional.of(new ProgressBarBuilder()
                        .setTaskName("perf")
                        .setInitialMax(steps)
                        .setStyle(ProgressBarStyle.ASCII)
                        .setUpdateIntervalMillis(DRAW_MS)
                        .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
                        .build())
                : Optional.empty();
    }

    @Override
    public void accept(String step) {
        bar.ifPresentOrElse(
                shown -> {
                    shown.setExtraMessage(" " + step);
                    shown.step();
                },
                () -> {
                    if (step.endsWith(NEW_CASE)) {
                        System.err.println("perf: " + step.substring(0, step.length() - NEW_CASE.length()));
                    }
                });
    }

    @Override
    public void close() {
        bar.ifPresent(ProgressBar::close);
    }
}
