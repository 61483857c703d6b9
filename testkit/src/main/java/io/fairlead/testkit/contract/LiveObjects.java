package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.fail;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The reachable objects of this process, counted by class. A table that keeps what has ended shows as a class that grows with every round, whatever the class is. The
 * counts are those of the whole process, so that nothing else may be at work in it.
 */
public final class LiveObjects {
    private static final Duration COLLECTION_LIMIT = Duration.ofSeconds(10);

    /** What collectors put into gaps of the heap. */
    private static final String FILLER = "jdk.internal.vm.Filler";

    private LiveObjects() {}

    /**
     * Fails if a class has about one object more for each round. A class that grows once, such as a cache that fills, is not reported: it does not grow again in the
     * next rounds.
     *
     * @param rounds how many rounds there are between two counts, at least 100
     * @param round makes something and ends it, and returns when it has ended
     */
    public static void assertNothingLeftOf(int rounds, Runnable round) {
        run(rounds / 2, round);
        Map<String, Long> grown = grown(rounds, round);
        if (!grown.isEmpty()) {
            grown = grown(rounds, round);
        }
        if (!grown.isEmpty()) {
            fail("objects are left of what has ended: rounds=" + rounds + ", more of each class=" + grown);
        }
    }

    /** The classes that have grown with the rounds, when the garbage has had time to be collected. */
    private static Map<String, Long> grown(int rounds, Runnable round) {
        Map<String, Long> before = now();
        // Counts again, because the table of the first count has objects too.
        before.putAll(now());
        run(rounds, round);
        long deadline = System.nanoTime() + COLLECTION_LIMIT.toNanos();
        Map<String, Long> grown = grown(before, rounds / 2);
        while (!grown.isEmpty() && System.nanoTime() - deadline < 0) {
            // Weak tables drop their entries when they are used next, and cleaners have threads of their own.
            round.run();
            LockSupport.parkNanos(1_000_000);
            grown = grown(before, rounds / 2);
        }
        return grown;
    }

    private static void run(int rounds, Runnable round) {
        for (int i = 0; i < rounds; i++) {
            round.run();
        }
    }

    private static Map<String, Long> grown(Map<String, Long> before, long least) {
        Map<String, Long> grown = new TreeMap<>();
        now().forEach((name, count) -> {
            long more = count - before.getOrDefault(name, 0L);
            if (more >= least) {
                grown.put(name, more);
            }
        });
        return grown;
    }

    /** Collects garbage, and counts what is left. */
    private static Map<String, Long> now() {
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
        histogram.lines().map(line -> line.strip().split("\\s+", -1)).forEach(fields -> {
            // A line of a class is its rank with a colon, the number of its objects, their bytes, and its name.
            if (fields.length >= 4 && fields[0].endsWith(":") && !fields[3].contains(FILLER)) {
                counts.merge(fields[3], Long.parseLong(fields[1]), Long::sum);
            }
        });
        return counts;
    }
}
