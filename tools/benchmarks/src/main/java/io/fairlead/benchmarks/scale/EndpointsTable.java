package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.process.DirectedProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Endpoints of one worker, one of which is busy. */
final class EndpointsTable implements Table {
    static final String TITLE = "endpoints";
    static final String HALF_ROUND_TRIP = "p50";
    static final String BYTES = "bytes-per-idle-endpoint";

    /** With fewer, what else the JVM does meanwhile is a good part of the difference. */
    private static final int COUNTED_MIN = 100;

    private static final List<Column> COLUMNS = List.of(
            new Column(HALF_ROUND_TRIP, "p50 half round trip, us", "us"),
            new Column(BYTES, "bytes/idle endpoint", "bytes"));

    private final List<String> allSeries;

    EndpointsTable() {
        this(Series.ALL);
    }

    /** With these series only. */
    EndpointsTable(List<String> allSeries) {
        this.allSeries = List.copyOf(allSeries);
    }

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public String description() {
        return "one endpoint that asks for 8 B, others of its worker idle; memory that the asking process has for each of these: resident outside the"
                + " heap, where what two processes share counts half, and used in the heap";
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public List<Line> measure(ScalePlan plan, Steps steps) {
        List<Steps.Pending> pending = new ArrayList<>();
        for (String series : allSeries) {
            for (int count : plan.endpoints()) {
                pending.add(
                        new Steps.Pending(series + " " + label(count), processes -> start(series, count, processes)));
            }
        }
        return steps.measure(TITLE, steps.start(pending), EndpointsAnswer.SIZE, plan, COLUMNS.size());
    }

    private static String label(int count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private static Point start(String series, int count, Processes processes) throws IOException {
        DirectedProcess answering = processes.start(EndpointsAnswer.NAME, List.of(series));
        String port = Processes.introduction(answering);
        DirectedProcess asking =
                processes.start(Memory.JVM_OPTIONS, EndpointsAsk.NAME, List.of(series, port, String.valueOf(count)));
        String bytes = Processes.introduction(asking);
        double each = bytes.isEmpty() || count < COUNTED_MIN ? Double.NaN : Double.parseDouble(bytes);
        return new Point(series, count, label(count), operations -> ask(asking, operations, each), processes);
    }

    private static Point.Sample ask(DirectedProcess asking, int count, double bytesEach) throws IOException {
        long[] said = Processes.turn(asking, String.valueOf(count));
        return Point.Sample.of(count, said[0], List.of(said[1] / 2e3, bytesEach));
    }
}
