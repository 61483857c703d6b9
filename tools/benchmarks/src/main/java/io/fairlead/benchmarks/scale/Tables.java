package io.fairlead.benchmarks.scale;

import io.fairlead.FairleadConfig;
import io.fairlead.benchmarks.contest.Contestants;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.contest.Idle;
import io.fairlead.benchmarks.scale.Table.Column;
import io.fairlead.benchmarks.scale.Table.Point;
import io.fairlead.benchmarks.scale.Table.Run;
import io.fairlead.benchmarks.scale.Table.Sample;
import io.fairlead.benchmarks.scale.Table.Start;
import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Side;
import io.fairlead.cli.measure.SideProcess;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import io.fairlead.cli.measure.WorkSide;
import io.fairlead.cli.perf.PerfPlan;
import io.fairlead.config.ConfigKeys;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** What grows. */
final class Tables {
    static final String HALF_ROUND_TRIP = "p50";
    static final String BYTES = "bytes-per-idle-endpoint";

    /** With fewer endpoints, what else the JVM does meanwhile is a good part of the difference. */
    private static final int COUNTED_MIN = 100;

    private static final int WARM_UP = 10_000;
    private static final int REQUEST = 64;
    private static final int PUBLISHED = 32;
    private static final long GIB = 1L << 30;
    /** A message is in the memory of both processes, and in parts in between. */
    private static final int COPIES = 4;
    /** Ten times 100,000 and more. */
    private static final int REGIONS_MAX = 1 << 20;

    private static final List<String> JVM_OPTIONS =
            List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=2g");
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
            (plan, run) -> between(plan.threads(), run, Tables::nodes, Idle.BACK_OFF, Tables::threads));
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
            (plan, run) -> each(Table.SERIES, plan.regions(), run, (series, count) -> regions(series, count, run)));
    /** Bytes of a message. */
    static final Table SIZES = new Table(
            "sizes",
            "messages one after the other, one way, some of them on their way",
            List.of(new Column("time", "us/message", "us"), new Column("bandwidth", "GB/s", "GB/s")),
            (plan, run) -> between(
                    plan.sizes().stream().filter(size -> fits(size, run)).toList(),
                    run,
                    series -> series.equals(Table.SHM) ? Contestants.FAIRLEAD_SHM : Contestants.FAIRLEAD_TCP,
                    Idle.BLOCK,
                    Tables::sizes));
    /** Processes that ask one. */
    static final Table PROCESSES = new Table(
            "processes",
            "processes with one thread each, which asks one answering process for 64 B by Peer.request and waits for the reply",
            List.of(new Column("rate", "replies/s in all", "1/s")),
            Tables::processes);

    static final List<Table> ALL = List.of(ENDPOINTS, THREADS, SUBSCRIBERS, REGIONS, SIZES, PROCESSES);

    private Tables() {}

    private interface Starter {
        Point start(String series, int count) throws IOException;
    }

    private interface InPair {
        Point of(String series, int count, Pair pair);
    }

    /** A point for each series and number, with processes of its own. */
    private static List<Point> each(List<String> allSeries, List<Integer> counts, Run run, Starter starter) {
        Map<String, Start> pending = new LinkedHashMap<>();
        for (String series : allSeries) {
            for (int count : counts) {
                pending.put(series + " " + label(count), () -> starter.start(series, count));
            }
        }
        return run.start(pending);
    }

    /** A point for each series and number, those of one series between the same two processes. */
    private static List<Point> between(
            List<Integer> counts, Run run, Function<String, Contestants> contestant, Idle idle, InPair point) {
        List<Point> points = new ArrayList<>();
        for (String series : Table.SERIES) {
            try {
                Pair pair = contestant.apply(series).start(idle);
                run.atEnd(pair::close);
                counts.forEach(count -> points.add(point.of(series, count, pair)));
            } catch (IOException failure) {
                run.leaveOut(series, String.valueOf(failure.getMessage()));
            }
        }
        return points;
    }

    /** Of a side over one transport alone, which idles by default. */
    static FairleadConfig config(String transport) {
        return FairleadPeer.config(transport, Idle.BACK_OFF)
                .with(ConfigKeys.TRANSPORTS, transport)
                .with(ConfigKeys.REGIONS_MAX, REGIONS_MAX)
                // Many processes share a few processors while they start.
                .with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofSeconds(30));
    }

    private static Pair start(Class<?> side, List<String> jvmOptions, String... arguments) throws IOException {
        return Pair.start(new Pair.Ends(
                String.join(" ", arguments),
                side,
                jvmOptions,
                List.of(arguments),
                List.of(arguments),
                false,
                EnumSet.allOf(PerfTest.class),
                SideProcess.LIMIT_S));
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

    private static Point endpoints(String series, int count) throws IOException {
        Work asking = Work.numbered(PerfTest.TAG_LAT, Long.BYTES);
        Pair pair = start(EndpointsSide.class, Memory.JVM_OPTIONS, series);
        try {
            // What the JVM makes of its code is there before memory is looked at.
            Turn _ = pair.turn(asking.withCount(WARM_UP));
            double[] _ = pair.leader().turn(EndpointsSide.CONNECT + (count - 1));
            Turn _ = pair.turn(asking.withCount(WARM_UP));
            double[] bytes = pair.leader().turn(EndpointsSide.BYTES);
            double each = bytes.length == 0 || count < COUNTED_MIN ? Double.NaN : bytes[0];
            return new Point(
                    series,
                    count,
                    label(count),
                    asking.size(),
                    operations -> {
                        Turn turn = pair.turn(asking.withCount(operations));
                        return Sample.of(turn.perSecond(), turn.p50Us() / 2, each);
                    },
                    pair::close);
        } catch (IOException failure) {
            pair.close();
            throw failure;
        }
    }

    private static Contestants nodes(String series) {
        return series.equals(Table.SHM) ? Contestants.NODE_SHM : Contestants.NODE_TCP;
    }

    private static Point threads(String series, int threads, Pair pair) {
        Work work = Work.of(PerfTest.TAG_LAT, REQUEST, threads);
        return new Point(
                series,
                threads,
                label(threads),
                REQUEST,
                count -> {
                    double rate =
                            pair.turn(work.withCount(Math.max(threads, count))).perSecond();
                    return Sample.of(rate, rate);
                },
                () -> {});
    }

    private static Point subscribers(String series, int subscribers) throws IOException {
        Contestants contestant = series.equals(Table.SHM) ? Contestants.PUBSUB_SHM : Contestants.PUBSUB_TCP;
        Pair pair = contestant.start(Idle.BACK_OFF, String.valueOf(subscribers));
        Work work = Work.numbered(PerfTest.TAG_BW, PUBLISHED);
        return new Point(
                series,
                subscribers,
                label(subscribers),
                PUBLISHED,
                count -> {
                    double published = pair.turn(work.withCount(count)).perSecond();
                    return Sample.of(published, published, published * subscribers);
                },
                pair::close);
    }

    /** A side of regions, as {@link io.fairlead.cli.measure.SideMain} opens it. */
    static Side open(List<String> arguments, Optional<String> address) {
        return address.isEmpty() ? new RegionsOwner(arguments) : new RegionsUse(arguments, address.get());
    }

    private static Point regions(String series, int wanted, Run run) throws IOException {
        Pair pair = start(Tables.class, JVM_OPTIONS, series, String.valueOf(wanted));
        String[] owned = pair.connection().split(" ", 2);
        int count = Integer.parseInt(owned[0]);
        if (count < wanted) {
            run.note(series + " " + label(wanted) + ": stopped at " + label(count) + " regions: " + owned[1]);
        }
        return new Point(
                series,
                count,
                label(count),
                Long.BYTES,
                operations -> {
                    double[] opened = pair.follower().turn("");
                    double[] used = pair.leader().turn(String.valueOf(operations));
                    return Sample.of(
                            operations * 1e9 / used[0], opened[0] / 1e3, opened[1] / 1e3, used[1] / 1e3, used[2] / 1e3);
                },
                pair::close);
    }

    private static Point sizes(String series, int size, Pair pair) {
        Work work = Work.numbered(PerfTest.TAG_BW, size);
        return new Point(
                series,
                size,
                PerfPlan.sizeText(size),
                size,
                count -> {
                    double rate = pair.turn(work.withCount(count)).perSecond();
                    return Sample.of(rate, 1e6 / rate, rate * size / 1e9);
                },
                () -> {});
    }

    /** A size that the memory is too small for is left out. */
    private static boolean fits(int size, Run run) {
        OptionalLong available = Memory.available();
        if (size < GIB || available.isEmpty() || available.getAsLong() > COPIES * GIB) {
            return true;
        }
        run.leaveOut(
                PerfPlan.sizeText(size),
                String.format(
                        Locale.ROOT,
                        "too little memory: available=%.1f GiB, needed more than %d GiB; free memory, or run it on a host that has more",
                        (double) available.getAsLong() / GIB,
                        COPIES));
        return false;
    }

    private static List<Point> processes(ScalePlan plan, Run run) throws IOException {
        int most = plan.processes().stream().mapToInt(Integer::intValue).max().orElse(1);
        List<Point> points = new ArrayList<>();
        for (String series : Table.SERIES) {
            List<String> arguments = List.of(nodes(series).name(), Idle.BACK_OFF.name());
            String address =
                    start(run, JVM_OPTIONS, Optional.empty(), arguments).open();
            List<SideProcess> asking = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                asking.add(start(run, LIGHT, Optional.of(address), arguments));
            }
            for (SideProcess process : asking) {
                String _ = process.open();
            }
            for (int count : plan.processes()) {
                points.add(new Point(
                        series,
                        count,
                        label(count),
                        REQUEST,
                        operations -> ask(asking.subList(0, count), operations),
                        () -> {}));
            }
        }
        return points;
    }

    private static SideProcess start(Run run, List<String> jvmOptions, Optional<String> address, List<String> arguments)
            throws IOException {
        SideProcess process =
                SideProcess.start(arguments.getFirst(), jvmOptions, Contestants.class, address, arguments);
        run.atEnd(process::close);
        return process;
    }

    private static Sample ask(List<SideProcess> asking, int count) throws IOException {
        int each = Math.max(1, count / asking.size());
        String turn = WorkSide.lead(Work.of(PerfTest.TAG_LAT, REQUEST, 1).withCount(each));
        for (SideProcess process : asking) {
            process.say(turn);
        }
        // The clocks of the processes of one host are one clock.
        double startNs = Double.MAX_VALUE;
        double endNs = 0;
        for (SideProcess process : asking) {
            process.awaitBegan();
            double[] figures = process.done();
            startNs = Math.min(startNs, figures[0]);
            endNs = Math.max(endNs, figures[1]);
        }
        double rate = (double) each * asking.size() * 1e9 / (endNs - startNs);
        return Sample.of(rate, rate);
    }
}
