package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.contest.Entrant;
import io.fairlead.benchmarks.contest.Rounds;
import io.fairlead.benchmarks.contest.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** What tables have in common: points in turns, and who could not take part. Points may be started by several threads. */
final class Steps {
    private static final String LEFT_OUT = "left out: ";

    private final Consumer<String> progress;
    private final List<String> notes = Collections.synchronizedList(new ArrayList<>());

    /**
     * Prepares.
     *
     * @param progress takes a line for each step
     */
    Steps(Consumer<String> progress) {
        this.progress = this.keepingNotes(progress);
    }

    private Consumer<String> keepingNotes(Consumer<String> taking) {
        return line -> {
            if (line.startsWith(LEFT_OUT)) {
                notes.add(line);
            }
            taking.accept(line);
        };
    }

    /** Makes a point. */
    interface Start {
        Point start(Processes processes) throws IOException;
    }

    /** What goes below the table. */
    List<String> notes() {
        return notes;
    }

    /** Says something that goes below the table too. */
    void note(String text) {
        notes.add(text);
        progress.accept(text);
    }

    void leaveOut(String title, String why) {
        progress.accept(LEFT_OUT + title + ": " + why);
    }

    /**
     * A point that is to have processes of its own.
     *
     * @param title its series and number
     * @param start makes it
     */
    record Pending(String title, Start start) {}

    /** Starts points, as many at a time as there are processors; one that cannot run is left out. */
    List<Point> start(List<Pending> pending) {
        try (ExecutorService starting =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
            List<CompletableFuture<Optional<Point>>> started = pending.stream()
                    .map(one -> CompletableFuture.supplyAsync(() -> start(one), starting))
                    .toList();
            return started.stream().flatMap(point -> point.join().stream()).toList();
        }
    }

    private Optional<Point> start(Pending one) {
        progress.accept("starting " + one.title());
        Processes processes = new Processes();
        try {
            return Optional.of(one.start().start(processes));
        } catch (IOException failure) {
            processes.close();
            leaveOut(one.title(), String.valueOf(failure.getMessage()));
            return Optional.empty();
        }
    }

    /** Lets all points take turns, and ends them. */
    List<Line> measure(String title, List<Point> points, long size, ScalePlan plan, int columns) {
        List<Entrant> entrants = new ArrayList<>(points);
        try {
            Set<String> ended = new Rounds(plan.rounds(), progress)
                    .run(title, new Work(Work.Kind.ASK, (int) size, 1, 0), entrants)
                    .keySet();
            return points.stream()
                    .filter(point -> ended.contains(point.title()))
                    .map(point -> point.line(size, plan.rounds().rounds(), columns))
                    .toList();
        } finally {
            entrants.forEach(Entrant::close);
        }
    }

    /** The same, of work that {@link Rounds} knows. */
    Rounds rounds(ScalePlan plan) {
        return new Rounds(plan.rounds(), progress);
    }
}
