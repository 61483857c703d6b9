package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.contest.Contestants;
import io.fairlead.benchmarks.contest.Idle;
import io.fairlead.benchmarks.scale.Table.Column;
import io.fairlead.benchmarks.scale.Table.Point;
import io.fairlead.benchmarks.scale.Table.Processes;
import io.fairlead.benchmarks.scale.Table.Run;
import io.fairlead.benchmarks.scale.Table.Sample;
import io.fairlead.benchmarks.scale.Table.Start;
import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.SideProcess;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What grows. */
final class Tables {
    static final String HALF_ROUND_TRIP = "p50";
    static final String BYTES = "bytes-per-idle-endpoint";

    /** With fewer endpoints, what else the JVM does meanwhile is a good part of the difference. */
    private static final int COUNTED_MIN = 100;

    private static final int REQUEST = 64;
    private static final int KIB = 1024;
    private static final long GIB = 1L << 30;
    /** A message is in the memory of both processes, and in parts in between. */
    private static final int COPIES = 4;
    /** Many JVMs share the processors: the first compiler makes code that is fast enough at a fraction of the work. */
    private static final List<String> LIGHT =
            List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:MaxDirectMemorySize=256m");

    /** Endpoints of one worker, one of which is busy. */
    static final Table ENDPOINTS = endpoints(Table.SERIES);
    /** Threads of an application that ask by one node. */
    static final Table THREADS = new Table(
            "threads",
            "threads that ask for 64 B by Peer.request on one node, each waiting for its reply before it asks again",
            List.of(new Column("rate", "replies/s", "1/s")),
            Tables::threads);
    /** Subscribers of one topic. */
    static final Table SUBSCRIBERS = new Table(
            "subscribers",
            "subscribers of one topic of 32 B, each with a connection of its own, on one worker of the other process; nothing lost and in order",
            List.of(
                    new Column("published", "messages/s published", "1/s"),
                    new Column("delivered", "messages/s delivered in all", "1/s")),
            (plan, run) -> each(Table.SERIES, plan.subscribers(), run, Tables::subscribers));
    /** Regions of one process. */
    static final Table REGIONS = new Table(
            "regions",
            "regions that are open in the other process, and a put with its flush and a get of 8 B on the last of them; shm: allocated and mapped by"
                    + " both sides, tcp: registered",
            List.of(
                    new Column("open", "us to open one more", "us"),
                    new Column("close", "us to close it", "us"),
                    new Column("put", "p50 put and flush, us", "us"),
                    new Column("get", "p50 get, us", "us")),
            (plan, run) -> each(
                    Table.SERIES,
                    plan.regions(),
                    run,
                    (series, count, processes) -> regions(series, count, processes, run)));
    /** Bytes of a message. */
    static final Table SIZES = new Table(
            "sizes",
            "messages one after the other, one way, some of them on their way",
            List.of(new Column("time", "us/message", "us"), new Column("bandwidth", "GB/s", "GB/s")),
            Tables::sizes);
    /** Processes that ask one. */
    static final Table PROCESSES = new Table(
            "processes",
            "processes with one thread each, which asks one answering process for 64 B by Peer.request and waits for the reply",
            List.of(new Column("rate", "replies/s in all", "1/s")),
            Tables::processes);

    static final List<Table> ALL = List.of(ENDPOINTS, THREADS, SUBSCRIBERS, REGIONS, SIZES, PROCESSES);

    private Tables() {}

    private interface Starter {
        Point start(String series, int count, Processes processes) throws IOException;
    }

    /** A point for each series and number, with processes of its own. */
    private static List<Point> each(List<String> allSeries, List<Integer> counts, Run run, Starter starter) {
        Map<String, Start> pending = new LinkedHashMap<>();
        for (String series : allSeries) {
            for (int count : counts) {
                pending.put(series + " " + label(count), processes -> starter.start(series, count, processes));
            }
        }
        return run.start(pending);
    }

    private static String label(int count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** Of some series only. */
    static Table endpoints(List<String> allSeries) {
        return new Table(
                "endpoints",
                "one endpoint that asks for 8 B, others of its worker idle; memory that the asking process has for each of these: resident outside the"
                        + " heap, where what two processes share counts half, and used in the heap",
                List.of(
                        new Column(HALF_ROUND_TRIP, "p50 half round trip, us", "us"),
                        new Column(BYTES, "bytes/idle endpoint", "bytes")),
                (plan, run) -> each(allSeries, plan.endpoints(), run, Tables::endpoints));
    }

    private static Point endpoints(String series, int count, Processes processes) throws IOException {
        String port = processes.start(EndpointsAnswer.class, series).open();
        SideProcess asking = processes.start(
                Memory.JVM_OPTIONS, EndpointsAsk.class, Optional.of(port), List.of(series, String.valueOf(count)));
        String bytes = asking.open();
        double each = bytes.isEmpty() || count < COUNTED_MIN ? Double.NaN : Double.parseDouble(bytes);
        return new Point(
                series,
                count,
                label(count),
                EndpointsAnswer.SIZE,
                operations -> {
                    long[] figures = asking.turn(String.valueOf(operations));
                    return Sample.of(operations, figures[0], List.of(figures[1] / 2e3, each));
                },
                processes);
    }

    private static List<Point> threads(ScalePlan plan, Run run) {
        List<Point> points = new ArrayList<>();
        for (String series : Table.SERIES) {
            try {
                String port = run.shared.start(NodeAnswer.class, series).open();
                SideProcess asking = run.shared.start(NodeAsk.class, series, port);
                asking.open();
                for (int threads : plan.threads()) {
                    points.add(new Point(
                            series,
                            threads,
                            label(threads),
                            REQUEST,
                            count -> {
                                int each = Math.max(1, count / threads);
                                long[] figures = asking.turn(series + " " + threads + " " + each);
                                return Sample.ofRate((long) each * threads, figures[1] - figures[0]);
                            },
                            new Processes()));
                }
            } catch (IOException failure) {
                run.leaveOut(series, String.valueOf(failure.getMessage()));
            }
        }
        return points;
    }

    private static Point subscribers(String series, int subscribers, Processes processes) throws IOException {
        SideProcess publishing = processes.start(TopicPublish.class, series);
        SideProcess subscribing =
                processes.connect(TopicSubscribe.class, publishing.open(), series, String.valueOf(subscribers));
        subscribing.open();
        return new Point(
                series,
                subscribers,
                label(subscribers),
                TopicPublish.SIZE,
                count -> {
                    subscribing.say(String.valueOf(count));
                    publishing.say(subscribers + " " + count);
                    long startNs = publishing.done()[0];
                    // The clocks of two processes of one host are one clock.
                    double published = count * 1e9 / (subscribing.done()[0] - startNs);
                    return new Sample(published, List.of(published, published * subscribers));
                },
                processes);
    }

    private static Point regions(String series, int wanted, Processes processes, Run run) throws IOException {
        SideProcess owning = processes.start(RegionsOwner.class, series, String.valueOf(wanted));
        String[] said = owning.open().split(" ", 4);
        int count = Integer.parseInt(said[1]);
        if (count < wanted) {
            run.note(series + " " + label(wanted) + ": stopped at " + label(count) + " regions: " + said[3]);
        }
        SideProcess using = processes.connect(RegionsUse.class, said[0] + " " + said[2], series);
        using.open();
        return new Point(
                series,
                count,
                label(count),
                Long.BYTES,
                operations -> {
                    long[] opened = owning.turn("");
                    long[] used = using.turn(String.valueOf(operations));
                    return Sample.of(
                            operations,
                            used[0],
                            List.of(opened[0] / 1e3, opened[1] / 1e3, used[1] / 1e3, used[2] / 1e3));
                },
                processes);
    }

    /** All sizes of a series go between the same two processes; a size that the memory is too small for is left out. */
    private static List<Point> sizes(ScalePlan plan, Run run) {
        List<Point> points = new ArrayList<>();
        List<Integer> sizes =
                plan.sizes().stream().filter(size -> fits(size, run)).toList();
        for (String series : Table.SERIES) {
            try {
                Contestants contestant = series.equals(Table.SHM) ? Contestants.FAIRLEAD_SHM : Contestants.FAIRLEAD_TCP;
                Pair pair = contestant.start(Idle.BLOCK);
                run.shared.add(pair);
                for (int size : sizes) {
                    Work work = Work.numbered(PerfTest.TAG_BW, size);
                    points.add(new Point(
                            series,
                            size,
                            sizeLabel(size),
                            size,
                            count -> {
                                double rate = pair.turn(work.withCount(count)).perSecond();
                                return new Sample(rate, List.of(1e6 / rate, rate * size / 1e9));
                            },
                            new Processes()));
                }
            } catch (IOException failure) {
                run.leaveOut(series, String.valueOf(failure.getMessage()));
            }
        }
        return points;
    }

    private static boolean fits(int size, Run run) {
        OptionalLong available = Memory.available();
        if (size < GIB || available.isEmpty() || available.getAsLong() > COPIES * GIB) {
            return true;
        }
        run.leaveOut(
                sizeLabel(size),
                String.format(
                        Locale.ROOT,
                        "too little memory: available=%.1f GiB, needed more than %d GiB; free memory, or run it on a host that has more",
                        (double) available.getAsLong() / GIB,
                        COPIES));
        return false;
    }

    static String sizeLabel(int size) {
        if (size >= GIB) {
            return size / GIB + " GiB";
        }
        if (size >= KIB * KIB) {
            return size / KIB / KIB + " MiB";
        }
        return size >= KIB ? size / KIB + " KiB" : size + " B";
    }

    private static List<Point> processes(ScalePlan plan, Run run) throws IOException {
        int most = plan.processes().stream().mapToInt(Integer::intValue).max().orElse(1);
        List<String> arguments = new ArrayList<>();
        for (String series : Table.SERIES) {
            arguments.addAll(
                    List.of(series, run.shared.start(NodeAnswer.class, series).open()));
        }
        List<SideProcess> asking = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            asking.add(run.shared.start(LIGHT, NodeAsk.class, Optional.empty(), arguments));
        }
        for (SideProcess process : asking) {
            process.open();
        }
        List<Point> points = new ArrayList<>();
        for (String series : Table.SERIES) {
            for (int count : plan.processes()) {
                points.add(new Point(
                        series,
                        count,
                        label(count),
                        REQUEST,
                        operations -> ask(series, asking.subList(0, count), operations),
                        new Processes()));
            }
        }
        return points;
    }

    private static Sample ask(String series, List<SideProcess> asking, int count) throws IOException {
        int each = Math.max(1, count / asking.size());
        for (SideProcess process : asking) {
            process.say(series + " 1 " + each);
        }
        // The clocks of the processes of one host are one clock.
        long startNs = Long.MAX_VALUE;
        long endNs = Long.MIN_VALUE;
        for (SideProcess process : asking) {
            long[] figures = process.done();
            startNs = Math.min(startNs, figures[0]);
            endNs = Math.max(endNs, figures[1]);
        }
        return Sample.ofRate((long) each * asking.size(), endNs - startNs);
    }
}
