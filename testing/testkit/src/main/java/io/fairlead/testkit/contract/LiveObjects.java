package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.fail;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reachable objects of this process, counted by class, and what it holds besides: heap, direct buffers, descriptors, mappings of shared memory and threads. A table
 * that keeps what has ended shows as a class that grows with every round, whatever the class is. The counts cover the whole process, so
 * nothing else may run in it.
 *
 * <p>The system property {@code fairlead.live.rounds} sets another number of rounds for every check, such as 10000. At level INFO the logger
 * of this class reports what the process holds ten times in these rounds.
 */
public final class LiveObjects {
    private static final Logger LOG = LoggerFactory.getLogger(LiveObjects.class);
    private static final Duration COLLECTION_LIMIT = Duration.ofSeconds(10);
    private static final int STOCKS = 10;
    /** What collectors put into gaps of the heap. */
    private static final String FILLER = "jdk.internal.vm.Filler";

    /** The compiler makes the text constants of a method when it compiles it, which it does in the first hundreds of rounds. */
    private static final Set<String> TEXTS = Set.of("java.lang.String", "[B");

    private static final int TEXTS_MORE = 400;
    /** A thread or a descriptor is dearer than an object: one left of every tenth round is too many. */
    private static final int ROUNDS_PER_HANDLE = 10;

    private static final String FAIRLEAD = "io.fairlead.";
    private static final String SUITES = "io.fairlead.testkit.contract.";

    private LiveObjects() {}

    /**
     * Fails if a class has about one object more for each round, or if the process holds more threads, descriptors or bytes for each round. What grows once, such as a
     * cache that fills, is not reported: it does not grow again in the next rounds.
     *
     * @param rounds how many rounds there are between two counts, at least 100
     * @param round makes something and ends it, and returns when it has ended
     */
    public static void assertNothingLeftOf(int rounds, Runnable round) {
        int count = Integer.getInteger("fairlead.live.rounds", rounds);
        run(count / 2, round);
        Map<String, Long> grown = grown(count, round);
        if (!grown.isEmpty()) {
            grown = grown(count, round);
        }
        if (!grown.isEmpty()) {
            fail("objects are left of what has ended: rounds=" + count + ", more of each class=" + grown);
        }
    }

    /**
     * Fails if one of the objects that the rounds make and keep has more parts than allowed. Objects of Fairlead's classes, and arrays of them, count as
     * parts, and those of these suites do not. At level INFO the logger of this class reports the parts, and the heap that all parts take.
     *
     * @param rounds how many rounds there are between two counts, at least 100
     * @param made how many objects a round makes
     * @param partsMax the maximum number of parts of each
     * @param round makes them
     */
    static void assertPartsOfEach(int rounds, int made, int partsMax, Runnable round) {
        // Pools and caches fill first.
        run(rounds / 2, round);
        Stock before = stockBesideAnother();
        run(rounds, round);
        Stock after = Stock.now();
        double count = (double) rounds * made;
        Map<String, Double> parts = new TreeMap<>();
        after.counts.forEach((name, now) -> {
            double more = (now - before.counts.getOrDefault(name, 0L)) / count;
            if (name.contains(FAIRLEAD) && !name.contains(SUITES) && more > 0.01) {
                parts.put(name, more);
            }
        });
        double each = parts.values().stream().mapToDouble(Double::doubleValue).sum();
        double bytes = (after.heapBytes - before.heapBytes) / count;
        LOG.info("parts={}, heap={} bytes: {}", each, bytes, parts);
        if (each > partsMax) {
            fail("too many parts: parts=" + each + ", allowed " + partsMax + ", of each class=" + parts);
        }
    }

    /** The classes that have grown with the rounds, when the garbage has had time to be collected. */
    private static Map<String, Long> grown(int rounds, Runnable round) {
        Stock before = stockBesideAnother();
        run(rounds, round);
        long deadline = System.nanoTime() + COLLECTION_LIMIT.toNanos();
        Map<String, Long> grown = Stock.now().beyond(before, rounds);
        while (!grown.isEmpty() && System.nanoTime() - deadline < 0) {
            // Weak tables drop their entries when they are used next, and cleaners have threads of their own.
            round.run();
            LockSupport.parkNanos(1_000_000);
            grown = Stock.now().beyond(before, rounds);
        }
        return grown;
    }

    /** A stock has objects too. Another stock's objects count here, as this stock's objects count in the next one. */
    private static Stock stockBesideAnother() {
        Stock other = Stock.now();
        try {
            return Stock.now();
        } finally {
            Reference.reachabilityFence(other);
        }
    }

    private static void run(int rounds, Runnable round) {
        for (int i = 0; i < rounds; i++) {
            if (LOG.isInfoEnabled() && i % Math.max(1, rounds / STOCKS) == 0) {
                LOG.info("round={} of {}: {}", i, rounds, Stock.now());
            }
            round.run();
        }
        if (LOG.isInfoEnabled()) {
            LOG.info("round={} of {}: {}", rounds, rounds, Stock.now());
        }
    }

    /**
     * What is there when the garbage is collected.
     *
     * @param counts objects by class
     * @param heapBytes their bytes
     * @param directBytes the bytes of direct buffers
     * @param threads live threads
     * @param holdings descriptors and mappings
     */
    private record Stock(
            Map<String, Long> counts, long heapBytes, long directBytes, int threads, ProcessHoldings holdings) {
        static Stock now() {
            String histogram;
            try {
                histogram = (String) ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                "gcClassHistogram",
                                new Object[] {null},
                                new String[] {String[].class.getName()});
            } catch (JMException failure) {
                throw new AssertionError("the virtual machine does not count its objects", failure);
            }
            Map<String, Long> counts = new HashMap<>();
            long heapBytes = 0;
            for (String line : histogram.lines().toList()) {
                String[] fields = line.strip().split("\\s+", -1);
                // A line of a class is its rank with a colon, the number of its objects, their bytes, and its name.
                if (fields.length >= 4 && fields[0].endsWith(":") && !fields[3].contains(FILLER)) {
                    counts.merge(fields[3], Long.parseLong(fields[1]), Long::sum);
                    heapBytes += Long.parseLong(fields[2]);
                }
            }
            return new Stock(
                    counts,
                    heapBytes,
                    directBytesNow(),
                    ManagementFactory.getThreadMXBean().getThreadCount(),
                    ProcessHoldings.now());
        }

        private static long directBytesNow() {
            return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                    .filter(pool -> pool.getName().equals("direct"))
                    .mapToLong(BufferPoolMXBean::getMemoryUsed)
                    .sum();
        }

        /** What has grown with the rounds. Bytes count in units of KiB, so that half a KiB for each round is too much. */
        Map<String, Long> beyond(Stock before, int rounds) {
            Map<String, Long> grown = new TreeMap<>();
            counts.forEach((name, count) -> put(
                    grown,
                    name,
                    count - before.counts.getOrDefault(name, 0L),
                    TEXTS.contains(name) ? Math.max(TEXTS_MORE, rounds / 2) : rounds / 2));
            put(grown, "KiB of heap", (heapBytes - before.heapBytes) >> 10, rounds / 2);
            put(grown, "KiB of direct buffers", (directBytes - before.directBytes) >> 10, rounds / 2);
            int handles = rounds / ROUNDS_PER_HANDLE;
            put(grown, "threads", threads - before.threads, handles);
            put(
                    grown,
                    "descriptors",
                    holdings.descriptors().size()
                            - before.holdings.descriptors().size(),
                    handles);
            put(
                    grown,
                    "shared mappings",
                    holdings.sharedMappings().size()
                            - before.holdings.sharedMappings().size(),
                    handles);
            return grown;
        }

        private static void put(Map<String, Long> grown, String name, long more, int least) {
            if (more >= least) {
                grown.put(name, more);
            }
        }

        @Override
        public String toString() {
            return "objects="
                    + counts.values().stream().mapToLong(Long::longValue).sum() + ", heap=" + (heapBytes >> 10)
                    + " KiB, direct buffers=" + (directBytes >> 10) + " KiB, threads=" + threads + ", descriptors="
                    + holdings.descriptors().size() + ", shared mappings="
                    + holdings.sharedMappings().size()
                    + ", resident=" + (holdings.residentBytes() >> 10) + " KiB";
        }
    }
}
