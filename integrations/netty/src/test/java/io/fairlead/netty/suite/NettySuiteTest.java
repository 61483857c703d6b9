package io.fairlead.netty.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Netty's suites over Fairlead, beside Netty's own sockets in the same run. Without the property {@code fairlead.netty.suite} the suites that take
 * minutes are left to {@code tools/build/netty-suite} , which sets it to the lanes to run and keeps the results.
 */
class NettySuiteTest {
    private static final String LANES = System.getProperty("fairlead.netty.suite", "");

    /** For the lanes that run in processes of their own. */
    private static final Path FAILED_OVER_NIO = Path.of("target/netty-suite-nio.txt");

    /** Hundreds of handshakes of TLS; and waits of seconds, in a suite that runs once in a JVM only. Together they are more than half of the time. */
    private static final Set<String> LONG = Set.of("SocketSslEcho", "TrafficShapingHandler");

    @TestFactory
    List<DynamicTest> shouldPassWhereNettysOwnSocketsPass() {
        boolean all = !LANES.isEmpty();
        List<String> lanes = all
                ? List.of(LANES.split(","))
                : Stream.concat(NettyResults.LANES.stream(), Stream.of(NettyLane.CUT, "shm-switched"))
                        .toList();
        List<Class<?>> suites = Suites.all().stream()
                .filter(suite -> all || !LONG.contains(suite.getSimpleName()))
                .toList();
        Set<String> failedOverNio = new TreeSet<>();
        return lanes.stream()
                .map(lane -> DynamicTest.dynamicTest(lane, () -> check(lane, suites, failedOverNio, all)))
                .toList();
    }

    private static void check(String lane, List<Class<?>> suites, Set<String> failedOverNio, boolean kept)
            throws IOException {
        boolean own = lane.equals("nio");
        Assumptions.assumeTrue(own || NettyLanes.isUsable(lane), lane + " is not available here");
        BiPredicate<Class<?>, String> cases =
                (suite, method) -> own || Exclusion.ALL.stream().noneMatch(exclusion -> exclusion.is(suite, method));
        Map<String, NettySuite.Counts> results = NettySuite.run(lane, suites, cases);
        if (NettyLane.SWITCHED.contains(lane)) {
            assertTrue(NettyLane.switches() > 10, "switches=" + NettyLane.switches());
        }
        if (kept) {
            NettyResults all = NettyResults.load();
            all.put(lane, results, own ? Map.of() : excluded());
            all.store();
        }
        Map<String, String> failed = new TreeMap<>();
        results.values().forEach(counts -> failed.putAll(counts.failed));
        if (own) {
            // What Netty's own sockets fail is the suites', or this machine's.
            failedOverNio.addAll(failed.keySet());
            if (kept) {
                Files.createDirectories(FAILED_OVER_NIO.getParent());
                Files.write(FAILED_OVER_NIO, failed.keySet());
            }
            assertTrue(failed.size() <= 3, failed::toString);
        } else {
            if (kept && Files.exists(FAILED_OVER_NIO)) {
                failedOverNio.addAll(Files.readAllLines(FAILED_OVER_NIO));
            }
            failed.keySet().removeAll(failedOverNio);
            assertEquals(Map.of(), failed);
        }
    }

    private static Map<String, Long> excluded() {
        return Exclusion.ALL.stream().collect(Collectors.groupingBy(Exclusion::suite, Collectors.counting()));
    }

    @Test
    void shouldExcludeOnlyCasesThatThereAre() {
        for (Exclusion exclusion : Exclusion.ALL) {
            Class<?> suite = Suites.all().stream()
                    .filter(type -> type.getSimpleName().equals(exclusion.suite()))
                    .findAny()
                    .orElseThrow();
            assertTrue(
                    Arrays.stream(suite.getMethods())
                            .anyMatch(method -> method.getName().equals(exclusion.method())
                                    && method.isAnnotationPresent(Test.class)),
                    exclusion::toString);
            assertFalse(exclusion.reason().isBlank());
        }
    }

    @Test
    void shouldExcludeOnlyCasesThatFail() {
        List<Exclusion> tried = Exclusion.ALL.stream().filter(Exclusion::mayRun).toList();
        Map<String, NettySuite.Counts> results = NettySuite.run(
                "shm",
                Suites.all(),
                (suite, method) -> tried.stream().anyMatch(exclusion -> exclusion.is(suite, method)));
        Set<String> failed = new TreeSet<>();
        results.values().forEach(counts -> failed.addAll(counts.failed.keySet()));
        assertEquals(
                tried.stream()
                        .map(exclusion -> exclusion.suite() + "#" + exclusion.method())
                        .collect(Collectors.toSet()),
                failed);
    }

    @Test
    void shouldShowTheResultsOfEverySuite() {
        NettyResults results = NettyResults.load();
        assertEquals(Suites.all().stream().map(Class::getSimpleName).sorted().toList(), results.suites());
        assertEquals(results.table(), NettyResults.shown());
    }
}
