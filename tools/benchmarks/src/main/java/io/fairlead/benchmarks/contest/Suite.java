package io.fairlead.benchmarks.contest;

import static io.fairlead.benchmarks.contest.Contestants.AERON_IPC;
import static io.fairlead.benchmarks.contest.Contestants.AERON_IPC_SHARED;
import static io.fairlead.benchmarks.contest.Contestants.AERON_UDP;
import static io.fairlead.benchmarks.contest.Contestants.JEROMQ_PUBSUB;
import static io.fairlead.benchmarks.contest.Contestants.NATS;
import static io.fairlead.benchmarks.contest.Contestants.NETTY_EPOLL;
import static io.fairlead.benchmarks.contest.Contestants.PUBSUB_SHM;
import static io.fairlead.benchmarks.contest.Contestants.PUBSUB_TCP;

import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Perftest;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import io.fairlead.cli.perf.PerfPlan;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The comparisons of messages, each with what it asks and what its figures are to reach.
 *
 * @param title as the command has it
 * @param description what is measured, for the help of the command
 * @param onlyGoals whether contestants take part only where a goal compares them
 */
public record Suite(
        String title,
        String description,
        Figure figure,
        List<Case> cases,
        List<Field> fields,
        List<Aim> aims,
        boolean onlyGoals) {
    /** UCX's C program, with and without error handling. */
    private static final List<String> C = List.of(Perftest.TITLE, Perftest.WITH_ERROR_HANDLING);

    private static final List<String> NO_C = List.of();

    /** Half round trips. */
    private static final Suite LATENCY = new Suite(
            "latency",
            "half round trips between two processes: 8 B, 1 KiB, 64 KiB, spinning and blocking",
            Figure.HALF_ROUND_TRIP,
            List.of(
                    new Case(PerfTest.TAG_LAT, 8, 0, Idle.SPIN),
                    new Case(PerfTest.TAG_LAT, 1024, 0, Idle.SPIN),
                    new Case(PerfTest.TAG_LAT, 65_536, 0, Idle.SPIN),
                    new Case(PerfTest.TAG_LAT, 8, 0, Idle.BLOCK),
                    new Case(PerfTest.TAG_LAT, 1024, 0, Idle.BLOCK)),
            List.of(new Field(Contestants.MEMORY, C), new Field(Contestants.SOCKETS, NO_C)),
            List.of(
                    Aim.atMost("fairlead-shm", Perftest.TITLE, 8, Idle.SPIN, 1.10),
                    Aim.atMost("fairlead-shm", "aeron-ipc", 8, Idle.SPIN, 1.0),
                    Aim.atMost("fairlead-shm", Perftest.TITLE, 65_536, Idle.SPIN, 1.1),
                    Aim.atMost("fairlead-ucx", Perftest.WITH_ERROR_HANDLING, 8, Idle.SPIN, 1.25),
                    Aim.atMost("fairlead-tcp", "raw-nio", 8, Idle.SPIN, 1.12),
                    Aim.atMost("fairlead-tcp", "raw-nio", 65_536, Idle.SPIN, 1.1),
                    Aim.atLeast("netty-epoll", "fairlead-tcp", 8, Idle.SPIN, 1.8),
                    Aim.atMost("fairlead-tcp", "raw-nio", 8, Idle.BLOCK, 1.05)),
            false);

    /** Short messages, one way. */
    private static final Suite RATE = new Suite(
            "rate",
            "messages of 8 and 32 B one after the other, one way",
            Figure.RATE,
            List.of(
                    new Case(PerfTest.TAG_BW, 8, 0, Idle.SPIN),
                    new Case(PerfTest.TAG_BW, 32, 0, Idle.SPIN),
                    new Case(PerfTest.TAG_BW, 32, 0, Idle.BLOCK)),
            List.of(new Field(Contestants.MEMORY, C), new Field(Contestants.SOCKETS, NO_C)),
            List.of(
                    Aim.atLeast("fairlead-shm", Perftest.TITLE, 8, Idle.SPIN, 0.9),
                    Aim.atLeast("fairlead-shm", "aeron-ipc", 8, Idle.SPIN, 1.0),
                    Aim.atLeast("fairlead-ucx", Perftest.WITH_ERROR_HANDLING, 8, Idle.SPIN, 0.7),
                    Aim.atLeast("fairlead-tcp", "netty-epoll", 32, Idle.SPIN, 2)),
            false);

    /** Long messages, one way. */
    private static final Suite BANDWIDTH = new Suite(
            "bandwidth",
            "messages of 64 KiB and 1 MiB one after the other, one way",
            Figure.RATE,
            List.of(new Case(PerfTest.TAG_BW, 65_536, 0, Idle.SPIN), new Case(PerfTest.TAG_BW, 1 << 20, 0, Idle.SPIN)),
            List.of(new Field(Contestants.MEMORY, C), new Field(Contestants.SOCKETS, NO_C)),
            List.of(
                    Aim.atLeast("fairlead-shm", Perftest.TITLE, 1 << 20, Idle.SPIN, 0.97),
                    Aim.atLeast("fairlead-ucx", Perftest.WITH_ERROR_HANDLING, 1 << 20, Idle.SPIN, 0.95)),
            false);

    /** Publish and subscribe. */
    private static final Suite PUBSUB = new Suite(
            "pubsub",
            "a publisher and a subscriber, 32 B, nothing lost and in order",
            Figure.RATE,
            List.of(new Case(PerfTest.TAG_BW, 32, 0, Idle.SPIN), new Case(PerfTest.TAG_BW, 32, 0, Idle.BLOCK)),
            List.of(
                    new Field(List.of(PUBSUB_SHM, AERON_IPC_SHARED, AERON_IPC), NO_C),
                    new Field(List.of(PUBSUB_TCP, AERON_UDP, NETTY_EPOLL, JEROMQ_PUBSUB, NATS), NO_C)),
            List.of(
                    Aim.atLeast("fairlead-shm", "aeron-ipc-shared", 32, Idle.SPIN, 1),
                    Aim.atLeast("fairlead-tcp", "netty-epoll", 32, Idle.SPIN, 2)),
            false);

    /** Processor time at a fixed rate. */
    private static final Suite CPU = new Suite(
            "cpu",
            "processor time and round trips of 64 B at 5,000 a second, blocking; timed from when each was due",
            Figure.PROCESSOR,
            List.of(new Case(PerfTest.TAG_LAT, 64, 200_000, Idle.BLOCK)),
            List.of(new Field(Contestants.MEMORY, NO_C), new Field(Contestants.SOCKETS, NO_C)),
            List.of(),
            false);

    /**
     * Contestants that stand together; the first is what ratios are taken to.
     *
     * @param c those of UCX's C program, by their titles
     */
    public record Field(List<Contestants> contestants, List<String> c) {
        /** The same of some contestants only. */
        Field of(Predicate<String> titles) {
            return new Field(
                    contestants.stream()
                            .filter(contestant -> titles.test(contestant.title()))
                            .toList(),
                    c.stream().filter(titles).toList());
        }

        List<String> titles() {
            return Stream.concat(contestants.stream().map(Contestants::title), c.stream())
                    .toList();
        }
    }

    /**
     * Work of one size.
     *
     * @param intervalNs as {@link Work#intervalNs()}
     */
    public record Case(PerfTest test, int size, long intervalNs, Idle idle) {
        Work work() {
            return Work.numbered(test, size).withInterval(intervalNs);
        }

        String label() {
            return PerfPlan.sizeText(size) + " " + idle.name().toLowerCase(Locale.ROOT);
        }
    }

    /** What is compared of a turn. */
    public enum Figure {
        /** Microseconds. */
        HALF_ROUND_TRIP("half round trip, us"),
        /** Messages a second. */
        RATE("messages/s"),
        /** Microseconds a message. */
        PROCESSOR("processor us/message");

        private final String title;

        Figure(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }

        /** As the report has it. */
        String metric() {
            return name().toLowerCase(Locale.ROOT);
        }

        double of(Turn turn) {
            return switch (this) {
                case HALF_ROUND_TRIP -> turn.p50Us() / 2;
                case RATE -> turn.perSecond();
                case PROCESSOR -> turn.processorUs();
            };
        }
    }

    /** What a ratio is to be. */
    public record Aim(String subject, String other, int size, Idle idle, double bound, boolean most) {
        static Aim atMost(String subject, String other, int size, Idle idle, double bound) {
            return new Aim(subject, other, size, idle, bound, true);
        }

        static Aim atLeast(String subject, String other, int size, Idle idle, double bound) {
            return new Aim(subject, other, size, idle, bound, false);
        }

        boolean isOf(Case one) {
            return size == one.size() && idle == one.idle();
        }

        boolean compares(String title) {
            return subject.equals(title) || other.equals(title);
        }

        Goal goal(String suite, double ratio) {
            String id = suite + "-" + size + "B-" + idle.name().toLowerCase(Locale.ROOT) + " " + subject + "/" + other;
            return most ? Goal.atMost(id, ratio, bound) : Goal.atLeast(id, ratio, bound);
        }
    }

    /** All of them, in the order in which they run. */
    public static List<Suite> all() {
        return List.of(LATENCY, RATE, BANDWIDTH, PUBSUB, CPU);
    }

    /** What the goals of all of them compare, and nothing else. */
    public static List<Suite> ofGoals() {
        return all().stream()
                .filter(suite -> !suite.aims.isEmpty())
                .map(Suite::ofItsGoals)
                .toList();
    }

    private Suite ofItsGoals() {
        return new Suite(
                title,
                description,
                figure,
                cases.stream()
                        .filter(one -> aims.stream().anyMatch(aim -> aim.isOf(one)))
                        .toList(),
                fields(title -> aims.stream().anyMatch(aim -> aim.compares(title))),
                aims,
                true);
    }

    /** The same of some contestants only. */
    public Suite of(Collection<String> contestants) {
        return new Suite(title, description, figure, cases, fields(contestants::contains), aims, onlyGoals);
    }

    private List<Field> fields(Predicate<String> titles) {
        return fields.stream()
                .map(field -> field.of(titles))
                .filter(field -> !field.titles().isEmpty())
                .toList();
    }

    /** Who takes part, as tables have it. */
    public List<String> contestants() {
        return fields.stream().flatMap(field -> field.titles().stream()).toList();
    }

    /** Whether a contestant of a field takes part in a case. */
    boolean has(Case one, String contestant) {
        return !onlyGoals || aims.stream().anyMatch(aim -> aim.isOf(one) && aim.compares(contestant));
    }

    /** Whether any of a field takes part in any case of those that idle so. */
    boolean has(Idle idle, String contestant) {
        return cases.stream().anyMatch(one -> one.idle() == idle && has(one, contestant));
    }
}
