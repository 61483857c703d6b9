package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.process.DirectedProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Threads of an application that ask by one node. */
final class ThreadsTable implements Table {
    static final String TITLE = "threads";
    private static final List<Column> COLUMNS = List.of(new Column("rate", "replies/s", "1/s"));
    private static final int SIZE = 64;

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public String description() {
        return "threads that ask for 64 B by Peer.request on one node, each waiting for its reply before it asks again";
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public List<Line> measure(ScalePlan plan, Steps steps) {
        try (Processes processes = new Processes()) {
            List<Point> points = new ArrayList<>();
            for (String series : Series.ALL) {
                try {
                    DirectedProcess answering = processes.start(NodeAnswer.NAME, List.of(series));
                    DirectedProcess asking =
                            processes.start(NodeAsk.NAME, List.of(series, Processes.introduction(answering)));
                    Processes.introduction(asking);
                    plan.threads().forEach(threads -> points.add(point(series, threads, asking)));
                } catch (IOException failure) {
                    steps.leaveOut(series, String.valueOf(failure.getMessage()));
                }
            }
            return steps.measure(TITLE, points, SIZE, plan, COLUMNS.size());
        }
    }

    private static Point point(String series, int threads, DirectedProcess asking) {
        return new Point(
                series,
                threads,
                String.valueOf(threads),
                count -> ask(asking, series, threads, count),
                new Processes());
    }

    private static Point.Sample ask(DirectedProcess asking, String series, int threads, int count) throws IOException {
        int each = Math.max(1, count / threads);
        long[] said = Processes.turn(asking, series + " " + threads + " " + each);
        Point.Sample sample = Point.Sample.of((long) each * threads, said[1] - said[0], List.of());
        return new Point.Sample(sample.perSecond(), List.of(sample.perSecond()));
    }
}
