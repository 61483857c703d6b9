package io.fairlead.cli.demo;

import io.fairlead.samples.data.DataSet;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** One subscriber of the demo as its parent sees it. */
final class SubscriberRun {
    private final String name;
    private DemoReport.PathRow path = DemoReport.PathRow.NONE;
    private DemoEvent.Progress latest = new DemoEvent.Progress(0, 0, 0, 0, 0);
    private DemoEvent.@Nullable Received end;
    private Optional<String> error = Optional.empty();

    SubscriberRun(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    void accept(DemoEvent event) {
        switch (event) {
            case DemoEvent.Connected connected ->
                path = new DemoReport.PathRow(connected.transport(), connected.device(), connected.reason());
            case DemoEvent.Progress progress -> latest = progress;
            case DemoEvent.Received received -> {
                end = received;
                latest = new DemoEvent.Progress(
                        received.received(),
                        received.claim().missed(),
                        received.switches(),
                        received.p50Us(),
                        received.p99Us());
            }
            case DemoEvent.Listening ignored -> {}
            case DemoEvent.Published ignored -> {}
        }
    }

    /** Takes note of a failure and returns true, unless there was one before, of which this is but a consequence. */
    boolean fail(String cause) {
        if (error.isPresent()) {
            return false;
        }
        error = Optional.of(cause);
        return true;
    }

    /** Whether it has reported neither a path nor a failure yet. */
    boolean isConnecting() {
        return path.equals(DemoReport.PathRow.NONE) && error.isEmpty();
    }

    /** One line of progress. */
    String status() {
        if (latest.messages() == 0) {
            return String.format(Locale.ROOT, "  %-9s waits for rows", name);
        }
        String gaps = latest.missed() == 0 ? "" : String.format(Locale.ROOT, "  %,d missed", latest.missed());
        String switches = latest.switches() == 0 ? "" : String.format(Locale.ROOT, "  %,d switches", latest.switches());
        return String.format(
                Locale.ROOT,
                "  %-9s %,12d rows  p50 %9.1f us  p99 %9.1f us%s%s",
                name,
                latest.messages(),
                latest.p50Us(),
                latest.p99Us(),
                gaps,
                switches);
    }

    /** Checks its result; sent is empty if the publisher could not report it any more. */
    DemoReport.Row judge(DataSet rows, OptionalLong sent, long sentAtLeast) {
        DemoEvent.Received claim = end;
        if (error.isEmpty()) {
            if (claim == null) {
                fail("told no result");
            } else if (sent.isEmpty()) {
                fail("publisher told no result, so nothing can be proved");
            } else {
                error = Verdict.objection(rows, sent.getAsLong(), claim.claim());
            }
        }
        return new DemoReport.Row(
                name,
                sent.orElse(sentAtLeast),
                latest.messages(),
                latest.missed(),
                error.isEmpty(),
                path,
                latest.p50Us(),
                latest.p99Us(),
                latest.switches() == 0 ? Optional.empty() : Optional.of(latest.switches()),
                error);
    }
}
