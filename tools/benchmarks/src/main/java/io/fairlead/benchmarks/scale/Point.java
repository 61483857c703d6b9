package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.contest.Entrant;
import io.fairlead.benchmarks.contest.Turn;
import io.fairlead.benchmarks.contest.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One number of something, whose processes run. */
final class Point implements Entrant {
    /** Some of its processes are at work all the time: they are not asked. */
    private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Measures once. */
    @FunctionalInterface
    interface Step {
        /** Does so many operations. */
        Sample turn(int count) throws IOException;
    }

    /**
     * What one turn has come to.
     *
     * @param perSecond operations, by which the next turn is made as long as it is to be
     * @param figures of each column
     */
    record Sample(double perSecond, List<Double> figures) {
        /** Of a number of operations that took so long. */
        static Sample of(long count, long tookNs, List<Double> figures) {
            return new Sample(count * 1e9 / Math.max(1, tookNs), figures);
        }
    }

    private final String series;
    private final long count;
    private final String label;
    private final Step step;
    private final Processes processes;
    private final List<Sample> samples = new ArrayList<>();

    /** With processes of its own, or without any. */
    Point(String series, long count, String label, Step step, Processes processes) {
        this.series = series;
        this.count = count;
        this.label = label;
        this.step = step;
        this.processes = processes;
    }

    @Override
    public String title() {
        return series + " " + label;
    }

    @Override
    public void rest() {
        LockSupport.parkNanos(REST_NS);
    }

    @Override
    public Turn turn(Work work) throws IOException {
        Sample sample = step.turn(work.count());
        samples.add(sample);
        return new Turn(sample.perSecond(), 0, 0, 0, 0);
    }

    /** The last rounds, without what was warming up. */
    Line line(long size, int rounds, int columns) {
        List<Sample> counted = samples.subList(Math.max(0, samples.size() - rounds), samples.size());
        List<List<Double>> figures = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
            int column = i;
            figures.add(
                    counted.stream().map(sample -> sample.figures().get(column)).toList());
        }
        return new Line(series, count, label, size, figures);
    }

    @Override
    public void close() {
        processes.close();
    }
}
