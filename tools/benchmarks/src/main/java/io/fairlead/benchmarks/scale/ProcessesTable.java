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
        return "processes with one thread each, which asks one answering process for 64 B by Peer.request and waits for the reply";
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public List<Line> measure(ScalePlan plan, Steps steps) {
        int most = plan.processes().stream().mapToInt(Integer::intValue).max().orElse(1);
        try (Processes processes = new Processes()) {
            List<DirectedProcess> asking = start(most, processes);
            List<Point> points = new ArrayList<>();
            for (String series : Series.ALL) {
                plan.processes().forEach(count -> points.add(point(series, asking.subList(0, count))));
            }
            return steps.measure(TITLE, points, SIZE, plan, COLUMNS.size());
        } catch (IOException failure) {
            steps.leaveOut(TITLE, String.valueOf(failure.getMessage()));
            return List.of();
        }
    }

    private static List<DirectedProcess> start(int count, Processes processes) throws IOException {
        List<String> arguments = new ArrayList<>();
        for (String series : Series.ALL) {
            String port = Processes.introduction(processes.start(NodeAnswer.NAME, List.of(series)));
            arguments.addAll(List.of(series, port));
        }
        List<DirectedProcess> asking = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asking.add(processes.start(JVM_OPTIONS, NodeAsk.NAME, arguments));
        }
        for (DirectedProcess process : asking) {
            Processes.introduction(process);
        }
        return asking;
    }

    private static Point point(String series, List<DirectedProcess> asking) {
        return new Point(
                series,
                asking.size(),
                String.valueOf(asking.size()),
                count -> ask(series, asking, count),
                new Processes());
    }

    private static Point.Sample ask(String series, List<DirectedProcess> asking, int count) throws IOException {
        int each = Math.max(1, count / asking.size());
        for (DirectedProcess process : asking) {
            process.say(series + " 1 " + each);
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
