package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.process.DirectedProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Subscribers of one topic. */
final class SubscribersTable implements Table {
    static final String TITLE = "subscribers";
    private static final List<Column> COLUMNS = List.of(
            new Column("published", "messages/s published", "1/s"),
            new Column("delivered", "messages/s delivered in all", "1/s"));

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public String description() {
        return "subscribers of one topic of 32 B, each with a connection of its own, on one worker of the other process; nothing lost and in order";
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public List<Line> measure(ScalePlan plan, Steps steps) {
        List<Steps.Pending> pending = new ArrayList<>();
        for (String series : Series.ALL) {
            for (int count : plan.subscribers()) {
                pending.add(new Steps.Pending(series + " " + count, processes -> start(series, count, processes)));
            }
        }
        return steps.measure(TITLE, steps.start(pending), TopicPublish.SIZE, plan, COLUMNS.size());
    }

    private static Point start(String series, int count, Processes processes) throws IOException {
        DirectedProcess publishing = processes.start(TopicPublish.NAME, List.of(series));
        String port = Processes.introduction(publishing);
        DirectedProcess subscribing =
                processes.start(TopicSubscribe.NAME, List.of(series, port, String.valueOf(count)));
        Processes.introduction(subscribing);
        return new Point(
                series,
                count,
                String.valueOf(count),
                messages -> publish(publishing, subscribing, count, messages),
                processes);
    }

    private static Point.Sample publish(
            DirectedProcess publishing, DirectedProcess subscribing, int subscribers, int count) throws IOException {
        subscribing.say(String.valueOf(count));
        publishing.say(subscribers + " " + count);
        long startNs = Processes.done(publishing)[0];
        // The clocks of two processes of one host are one clock.
        long endNs = Processes.done(subscribing)[0];
        double published = count * 1e9 / (endNs - startNs);
        return new Point.Sample(published, List.of(published, published * subscribers));
    }
}
