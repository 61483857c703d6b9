package io.fairlead.benchmarks.scale;

import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * How figures change with the number of one thing.
 *
 * @param title as the command and the report have it
 * @param description what is measured
 * @param columns its figures, each beside the same one of the first line of its series
 * @param points starts what takes turns
 */
record Table(String title, String description, List<Column> columns, Points points) {
    static final String SHM = "shm";
    static final String TCP = "tcp";
    /** The transports that tables have lines for. */
    static final List<String> SERIES = List.of(SHM, TCP);

    /**
     * One figure of a table.
     *
     * @param metric as the report has it
     * @param title as the table has it
     * @param unit of the figure
     */
    record Column(String metric, String title, String unit) {}

    /**
     * One line of a table.
     *
     * @param series the transport
     * @param count how many of what the table is about
     * @param label that number, as the table has it
     * @param size bytes of a message or transfer
     * @param figures of each column, its rounds; none where the figure does not exist
     */
    record Line(String series, long count, String label, long size, List<List<Double>> figures) {}

    /** Starts points. */
    interface Points {
        List<Point> start(ScalePlan plan, Run run) throws IOException;
    }

    /** Starts a point that has processes of its own, which end with it. */
    interface Start {
        Point start() throws IOException;
    }

    /** Does so many operations. */
    interface Step {
        Sample turn(int count) throws IOException;
    }

    /**
     * The figures of one turn.
     *
     * @param perSecond operations, by which the next turn is made as long as it is to be
     * @param figures of each column
     */
    record Sample(double perSecond, List<Double> figures) {
        static Sample of(double perSecond, Double... figures) {
            return new Sample(perSecond, List.of(figures));
        }
    }

    /** Measures; points of one size take turns with each other. */
    List<Line> measure(ScalePlan plan, Run run) {
        try (run) {
            List<Point> started = points.start(plan, run);
            List<Line> lines = new ArrayList<>();
            try {
                Rounds rounds = new Rounds(plan.rounds(), run.progress);
                for (long bytes : started.stream()
                        .map(point -> point.of.size())
                        .distinct()
                        .toList()) {
                    List<Contestant> taking = new ArrayList<>(started);
                    taking.removeIf(contestant -> ((Point) contestant).of.size() != bytes);
                    Set<String> ended = rounds.run(title, Work.numbered(PerfTest.TAG_LAT, (int) bytes), taking)
                            .keySet();
                    started.stream()
                            .filter(point -> point.of.size() == bytes && ended.contains(point.title()))
                            .forEach(point -> lines.add(point.line(plan.rounds().rounds(), columns.size())));
                }
            } finally {
                started.forEach(Contestant::close);
            }
            return lines;
        } catch (IOException failure) {
            run.leaveOut(title, String.valueOf(failure.getMessage()));
            return List.of();
        }
    }

    /** One measuring of a table: the processes that several points use, and what could not take part. Points may be started by several threads. */
    static final class Run implements AutoCloseable {
        private static final String LEFT_OUT = "left out: ";

        private final List<Runnable> ends = new ArrayList<>();
        private final Consumer<String> progress;
        private final List<String> notes = Collections.synchronizedList(new ArrayList<>());

        Run(Consumer<String> progress) {
            this.progress = line -> {
                if (line.startsWith(LEFT_OUT)) {
                    notes.add(line);
                }
                progress.accept(line);
            };
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

        /** Ends something with this. */
        void atEnd(Runnable end) {
            ends.add(end);
        }

        /** Starts points by their titles, as many at a time as there are processors; one that cannot run is left out. */
        List<Point> start(Map<String, Start> pending) {
            try (ExecutorService starting =
                    Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
                List<CompletableFuture<Optional<Point>>> started = pending.entrySet().stream()
                        .map(one -> CompletableFuture.supplyAsync(() -> start(one.getKey(), one.getValue()), starting))
                        .toList();
                return started.stream().flatMap(point -> point.join().stream()).toList();
            }
        }

        private Optional<Point> start(String title, Start start) {
            progress.accept("starting " + title);
            try {
                return Optional.of(start.start());
            } catch (IOException failure) {
                leaveOut(title, String.valueOf(failure.getMessage()));
                return Optional.empty();
            }
        }

        @Override
        public void close() {
            // Those that asked first: the others are still there for them.
            ends.reversed().forEach(Runnable::run);
        }
    }

    /** One number of something, whose processes run. */
    static final class Point implements Contestant {
        /** Some of its processes are at work all the time: they are not asked. */
        private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(100);

        private final Line of;
        private final Step step;
        private final Runnable end;
        private final List<Sample> samples = new ArrayList<>();

        Point(String series, long count, String label, long size, Step step, Runnable end) {
            this.of = new Line(series, count, label, size, List.of());
            this.step = step;
            this.end = end;
        }

        @Override
        public String title() {
            return of.series() + " " + of.label();
        }

        @Override
        public void rest() {
            LockSupport.parkNanos(REST_NS);
        }

        @Override
        public Turn turn(Work work) throws IOException {
            Sample sample = step.turn(work.count());
            samples.add(sample);
            return Turn.of(sample.perSecond(), 0);
        }

        /** The last rounds, without what was warming up. */
        private Line line(int rounds, int columns) {
            List<Sample> counted = samples.subList(Math.max(0, samples.size() - rounds), samples.size());
            List<List<Double>> figures = IntStream.range(0, columns)
                    .mapToObj(column -> counted.stream()
                            .map(sample -> sample.figures().get(column))
                            .toList())
                    .toList();
            return new Line(of.series(), of.count(), of.label(), of.size(), figures);
        }

        @Override
        public void close() {
            end.run();
        }
    }
}
