package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.contest.Entrant;
import io.fairlead.benchmarks.contest.Rounds;
import io.fairlead.benchmarks.contest.Streams;
import io.fairlead.benchmarks.contest.Turn;
import io.fairlead.benchmarks.contest.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/** Bytes of a message. */
final class SizesTable implements Table {
    static final String TITLE = "sizes";
    private static final List<Column> COLUMNS =
            List.of(new Column("time", "us/message", "us"), new Column("bandwidth", "GB/s", "GB/s"));
    private static final int KIB = 1024;
    private static final long GIB = 1L << 30;
    /** A message is in the memory of both processes, and in parts on its way. */
    private static final int COPIES = 4;

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public String description() {
        return "messages one after the other, one way, some of them on their way";
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public List<Line> measure(ScalePlan plan, Steps steps) {
        List<Line> lines = new ArrayList<>();
        List<Entrant> entrants = new ArrayList<>();
        try {
            start(Series.SHM, entrants, steps);
            start(Series.TCP, entrants, steps);
            for (int size : plan.sizes()) {
                if (hasRoom(size, steps)) {
                    lines.addAll(measure(size, entrants, plan, steps));
                }
            }
        } finally {
            entrants.forEach(Entrant::close);
        }
        return lines;
    }

    private static void start(String series, List<Entrant> entrants, Steps steps) {
        try {
            Entrant pair = series.equals(Series.SHM) ? Streams.overSharedMemory() : Streams.overTcp();
            entrants.add(new Named(series, pair));
        } catch (IOException failure) {
            steps.leaveOut(series, String.valueOf(failure.getMessage()));
        }
    }

    /** Under the name of its series. */
    private record Named(String title, Entrant pair) implements Entrant {
        @Override
        public Turn turn(Work work) throws IOException {
            return pair.turn(work);
        }

        @Override
        public void rest() throws IOException {
            pair.rest();
        }

        @Override
        public void close() {
            pair.close();
        }
    }

    private static boolean hasRoom(int size, Steps steps) {
        OptionalLong available = Memory.available();
        if (size < GIB || available.isEmpty() || available.getAsLong() > COPIES * GIB) {
            return true;
        }
        steps.leaveOut(
                label(size),
                String.format(
                        Locale.ROOT,
                        "too little memory: available=%.1f GiB, needed more than %d GiB; free memory, or run it on a host that has more",
                        (double) available.getAsLong() / GIB,
                        COPIES));
        return false;
    }

    private static List<Line> measure(int size, List<Entrant> entrants, ScalePlan plan, Steps steps) {
        Rounds rounds = steps.rounds(plan);
        Map<String, List<Turn>> results =
                rounds.run(TITLE + " " + label(size), new Work(Work.Kind.STREAM, size, 1, 0), entrants);
        List<Line> lines = new ArrayList<>();
        results.forEach((series, turns) -> lines.add(new Line(
                series,
                size,
                label(size),
                size,
                List.of(
                        turns.stream().map(turn -> 1e6 / turn.perSecond()).toList(),
                        turns.stream()
                                .map(turn -> turn.perSecond() * size / 1e9)
                                .toList()))));
        return lines;
    }

    static String label(int size) {
        if (size >= GIB) {
            return size / GIB + " GiB";
        }
        if (size >= KIB * KIB) {
            return size / KIB / KIB + " MiB";
        }
        return size >= KIB ? size / KIB + " KiB" : size + " B";
    }
}
