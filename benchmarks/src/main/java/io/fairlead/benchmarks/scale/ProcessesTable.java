package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.process.DirectedProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Processes that ask one. */
final class ProcessesTable implements Table {
    static final String TITLE = "processes";
    private static final List<Column> COLUMNS = List.of(new Column("rate", "replies/s in all", "1/s"));
    private static final int SIZE = 64;

    /** Many JVMs share the processors: the first compiler makes code that is fast enough at a fraction of the work. */
    private static final List<String> JVM_OPTIONS =
            List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:MaxDirectMemorySize=256m");

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public String description() {
        return "processes of one node and one thread each, which asks one answering process for 64 B by Peer.request and waits for the reply";
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public List<Line> measure(ScalePlan plan, Steps steps) {
        List<Line> lines = new ArrayList<>();
        for (String series : Series.ALL) {
            try (Processes processes = new Processes()) {
                List<DirectedProcess> asking = start(
                        series,
                        plan.processes().stream()
                                .mapToInt(Integer::intValue)
                                .max()
                                .orElse(1),
                        processes);
                List<Point> points = plan.processes().stream()
                        .map(count -> point(series, asking.subList(0, count)))
                        .toList();
                lines.addAll(steps.measure(TITLE + " " + series, points, SIZE, plan, COLUMNS.size()));
            } catch (IOException failure) {
                steps.leaveOut(series, String.valueOf(failure.getMessage()));
            }
        }
        return lines;
    }

    private static List<DirectedProcess> start(String series, int count, Processes processes) throws IOException {
        String port = Processes.introduction(processes.start(NodeAnswer.NAME, List.of(series)));
        List<DirectedProcess> asking = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asking.add(processes.start(JVM_OPTIONS, NodeAsk.NAME, List.of(series, port)));
        }
        for (DirectedProcess process : asking) {
            Processes.introduction(process);
        }
        return asking;
    }

    private static Point point(String series, List<DirectedProcess> asking) {
        return new Point(
                series, asking.size(), String.valueOf(asking.size()), count -> ask(asking, count), new Processes());
    }

    private static Point.Sample ask(List<DirectedProcess> asking, int count) throws IOException {
        int each = Math.max(1, count / asking.size());
        for (DirectedProcess process : asking) {
            process.say("1 " + each);
        }
        // The clocks of the processes of one host are one clock.
        long startNs = Long.MAX_VALUE;
        long endNs = Long.MIN_VALUE;
        for (DirectedProcess process : asking) {
            long[] said = Processes.done(process);
            startNs = Math.min(startNs, said[0]);
            endNs = Math.max(endNs, said[1]);
        }
        Point.Sample sample = Point.Sample.of((long) each * asking.size(), endNs - startNs, List.of());
        return new Point.Sample(sample.perSecond(), List.of(sample.perSecond()));
    }
}
