package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.process.DirectedProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Regions of one process. */
final class RegionsTable implements Table {
    static final String TITLE = "regions";
    private static final int SIZE = 8;
    private static final List<Column> COLUMNS = List.of(
            new Column("open", "us to open one more", "us"),
            new Column("close", "us to close it", "us"),
            new Column("put", "p50 put and flush, us", "us"),
            new Column("get", "p50 get, us", "us"));

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public String description() {
        return "regions that are open in the other process, and a put with its flush and a get of 8 B on the last of them; shm: allocated and mapped by"
                + " both sides, tcp: registered";
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public List<Line> measure(ScalePlan plan, Steps steps) {
        List<Steps.Pending> pending = new ArrayList<>();
        for (String series : Series.ALL) {
            for (int count : plan.regions()) {
                pending.add(new Steps.Pending(
                        series + " " + label(count), processes -> start(series, count, processes, steps)));
            }
        }
        return steps.measure(TITLE, steps.start(pending), SIZE, plan, COLUMNS.size());
    }

    private static String label(int count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private static Point start(String series, int wanted, Processes processes, Steps steps) throws IOException {
        DirectedProcess owning = processes.start(RegionsOwner.NAME, List.of(series, String.valueOf(wanted)));
        String[] said = Processes.introduction(owning).split(" ", 4);
        int count = Integer.parseInt(said[1]);
        if (count < wanted) {
            steps.note(series + " " + label(wanted) + ": stopped at " + label(count) + " regions: " + said[3]);
        }
        DirectedProcess using = processes.start(RegionsUse.NAME, List.of(series, said[0], said[2]));
        Processes.introduction(using);
        return new Point(series, count, label(count), operations -> use(owning, using, operations), processes);
    }

    private static Point.Sample use(DirectedProcess owning, DirectedProcess using, int count) throws IOException {
        long[] opened = Processes.turn(owning, "");
        long[] used = Processes.turn(using, String.valueOf(count));
        return Point.Sample.of(count, used[0], List.of(opened[0] / 1e3, opened[1] / 1e3, used[1] / 1e3, used[2] / 1e3));
    }
}
