package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.AccessRight;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.MemoryRegion;
import io.fairlead.Path;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.TransportProvider;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * Endpoints with {@code endpoint.failover} whose lanes fail while their control connections live.
 *
 * <p>The system property {@value #SWITCHES} sets how many, {@value #FLAPS} how often lanes fail five times a second.
 */
@Timeout(1800)
public class LaneFailoverContract extends TransportContract {
    private static final String SWITCHES = "fairlead.contract.failover-switches";
    private static final String FLAPS = "fairlead.contract.failover-flaps";
    /** Half of the time between two failures of lanes that flap. */
    private static final long FLAP_HALF_NS = 100_000_000;
    /** What the heap may differ by, in bytes: not what is held, but what the virtual machine has loaded meanwhile. */
    private static final long HEAP_SLACK = 4 << 20;

    /** Long enough for messages of every kind to be under way, and short enough to break anywhere among the first. */
    private static final int TURNS_MAX = 60;

    private final List<MemorySegment> memory = new ArrayList<>();
    private LaneProvider lanes = new LaneProvider(new UnreachableProvider(UnreachableProvider.Step.NEVER));
    private int taken;

    /** Creates the suite. */
    protected LaneFailoverContract() {}

    @BeforeEach
    final void switchOn() {
        assumeTrue(transport().leavesLanes(), () -> transport().name() + " leaves no lanes");
        lanes = new LaneProvider(transport().provider());
        configure(ConfigKeys.FAILOVER, "on");
        // Cases decide when.
        configure(ConfigKeys.FAILBACK_DELAY, Duration.ZERO);
    }

    @Override
    protected List<TransportProvider> providers() {
        return List.of(lanes);
    }

    @Test
    @Semantics({"V-15", "V-16", "V-18"})
    void shouldLoseRepeatAndReorderNothing(TestReporter reporter) {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(30));
        long startNs = System.nanoTime();
        Random random = new Random(38);
        int rounds = repetitions(Integer.getInteger(SWITCHES, 100));
        MemoryRegion atServer = region(server());
        MemoryRegion atClient = region(client());
        long operations = 0;
        for (int round = 0; round < rounds; round++) {
            Pair pair = connectAnew();
            NumberedTraffic there = traffic(pair.client(), pair.server(), atServer, round);
            NumberedTraffic back = traffic(pair.server(), pair.client(), atClient, ~round);
            pass(pair, random.nextInt(TURNS_MAX), there, back);
            int who = random.nextInt(3);
            if (who != 1) {
                assertTrue(lanes.tryBreak(0));
            }
            if (who != 0) {
                assertTrue(lanes.tryBreak(1));
            }
            pass(pair, random.nextInt(TURNS_MAX), there, back);
            progressUntil(
                    () -> {
                        there.postReceives();
                        back.postReceives();
                        return (there.isIdle() && back.isIdle() && haveMoved(pair)) || isEnded(pair);
                    },
                    "everything to arrive");
            assertConnected(pair);
            there.verify();
            back.verify();
            operations += there.count() + back.count();
            assertEquals(1, server().events().count(Event.Kind.CONNECTED));
            close(pair);
            there.end();
            back.end();
            for (Side side : List.of(client(), server())) {
                side.recorder().forgetCompleted();
                side.forgetEnded();
            }
        }
        assertEquals(rounds, value(client(), Counter.FAILOVERS));
        assertEquals(rounds, value(server(), Counter.FAILOVERS));
        reporter.publishEntry("switches=" + rounds + ", bytes again="
                + (value(client(), Counter.FAILOVER_BYTES) + value(server(), Counter.FAILOVER_BYTES)) + ", operations="
                + operations + ", seconds=" + (System.nanoTime() - startNs) / 1_000_000_000);
    }

    @Test
    @Semantics({"V-23", "V-24"})
    void shouldLoseRepeatAndReorderNothingOnTheWayBack(TestReporter reporter) {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(30));
        long startNs = System.nanoTime();
        Random random = new Random(83);
        int rounds = repetitions(Integer.getInteger(SWITCHES, 100));
        Pair pair = connect();
        progressUntilIdle();
        NumberedTraffic there = traffic(pair.client(), pair.server(), region(server()), 1);
        NumberedTraffic back = traffic(pair.server(), pair.client(), region(client()), 2);
        int switches = 0;
        while (switches < rounds) {
            if (switches % 100 == 0) {
                pair.client().recorder().forgetCompleted();
                pair.server().recorder().forgetCompleted();
            }
            pass(pair, random.nextInt(TURNS_MAX), there, back);
            if (!haveMoved(pair)) {
                boolean first = lanes.tryBreak(random.nextInt(2));
                boolean second = random.nextBoolean() && lanes.tryBreak(random.nextInt(2));
                switches += first || second ? 1 : 0;
                pass(pair, random.nextInt(TURNS_MAX), there, back);
                progressWith(pair, there, back, () -> haveMoved(pair));
                pass(pair, random.nextInt(TURNS_MAX), there, back);
            }
            boolean begun = lanes.tryReturn();
            if (begun && random.nextInt(4) == 0) {
                // Lanes that fail while both sides go back to them are left again.
                pass(pair, random.nextInt(4), there, back);
                boolean _ = lanes.tryBreak(random.nextInt(2));
            }
            progressWith(pair, there, back, () -> {
                // Again, if the attempt has failed, or both sides have left again.
                boolean _ = lanes.tryReturn();
                return haveReturned(pair);
            });
        }
        awaitAll(pair, there, back);
        there.verify();
        back.verify();
        assertEquals(1, server().events().count(Event.Kind.CONNECTED));
        assertTrue(value(server(), Counter.FAILBACKS) >= rounds);
        assertEquals(value(server(), Counter.FAILBACKS), value(client(), Counter.FAILBACKS));
        reporter.publishEntry("ways back=" + value(server(), Counter.FAILBACKS) + ", operations="
                + (there.count() + back.count()) + ", seconds=" + (System.nanoTime() - startNs) / 1_000_000_000);
        close(pair);
    }

    @Test
    @Semantics({"V-14", "V-23"})
    void shouldKeepNothingOfLanesThatFlap(TestReporter reporter) {
        LaneProvider.Pauses pauses = lanes.recordPauses();
        Pair pair = connectAnew();
        NumberedTraffic there = traffic(pair.client(), pair.server(), region(server()), 1);
        NumberedTraffic back = traffic(pair.server(), pair.client(), region(client()), 2);
        flap(pair, there, back, 10);
        ProcessHoldings before = ProcessHoldings.now();
        Resources threads = Resources.now();
        long heap = usedHeap();
        int flaps = repetitions(Integer.getInteger(FLAPS, 10));
        pauses.leaving().clear();
        pauses.returning().clear();
        flap(pair, there, back, flaps);
        ProcessHoldings after = ProcessHoldings.now();
        assertTrue(after.withinThoseOf(before), () -> after.beyond(before));
        Resources.assertNothingSince(threads);
        long grown = usedHeap() - heap;
        assertTrue(grown < HEAP_SLACK, "heap grew by " + grown + " bytes");
        there.verify();
        back.verify();
        reporter.publishEntry("flaps=" + flaps + ", operations=" + (there.count() + back.count()) + ", heap grew by "
                + grown + " bytes, resident by " + (after.residentBytes() - before.residentBytes())
                + ", pauses of leaving " + shown(pauses.leaving()) + ", of returning " + shown(pauses.returning()));
        close(pair);
    }

    private static long usedHeap() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static String shown(List<Long> pauses) {
        return "p50=" + LaneProvider.Pauses.percentile(pauses, 0.5) / 1000 + " us, p99="
                + LaneProvider.Pauses.percentile(pauses, 0.99) / 1000 + " us";
    }

    /** Breaks the lanes five times a second under traffic, and ends on lanes with nothing under way. */
    private void flap(Pair pair, NumberedTraffic there, NumberedTraffic back, int flaps) {
        long dueNs = System.nanoTime();
        for (int i = 0; i < flaps; i++) {
            for (Side side : List.of(client(), server())) {
                side.recorder().forgetCompleted();
                side.events().clear();
            }
            assertTrue(lanes.tryBreak(i % 2));
            dueNs += FLAP_HALF_NS;
            passUntil(pair, there, back, dueNs, () -> haveMoved(pair));
            assertTrue(lanes.tryReturn());
            dueNs += FLAP_HALF_NS;
            passUntil(pair, there, back, dueNs, () -> haveReturned(pair));
        }
        awaitAll(pair, there, back);
        pair.client().recorder().forgetCompleted();
        pair.server().recorder().forgetCompleted();
    }

    private void passUntil(
            Pair pair, NumberedTraffic there, NumberedTraffic back, long dueNs, BooleanSupplier condition) {
        progressWith(pair, there, back, () -> System.nanoTime() - dueNs >= 0 && condition.getAsBoolean());
        assertConnected(pair);
    }

    @Test
    @Semantics("V-26")
    void shouldUnpackKeysOnEachPath() {
        Pair pair = connectAnew();
        MemoryRegion before = region(server());
        RemoteKey first = pair.client().unpack(before);
        assertTrue(lanes.tryBreak(0));
        progressUntil(() -> haveMoved(pair), "both sides to take another path");
        MemoryRegion meanwhile = region(server());
        RemoteKey second = pair.client().unpack(meanwhile);
        putAndGet(pair, first, before, 1);
        putAndGet(pair, second, meanwhile, 2);
        assertTrue(lanes.tryReturn());
        progressUntil(() -> haveReturned(pair), "both sides to go back");
        putAndGet(pair, first, before, 3);
        putAndGet(pair, second, meanwhile, 4);
        putAndGet(pair, pair.client().unpack(meanwhile), meanwhile, 5);
        close(pair);
    }

    @Test
    @Semantics({"V-15", "V-23"})
    void shouldCarryOutLongPutsAndGetsOnTheWay() {
        int length = 16 << 20;
        MemoryRegion region = server().context().allocate(length, EnumSet.allOf(AccessRight.class));
        MemorySegment source = pattern(length, 16);
        MemorySegment target = buffer(length);
        for (int turns : new int[] {0, 1, 3, 10, 30}) {
            Pair pair = connectAnew();
            RemoteKey key = pair.client().unpack(region);
            for (boolean get : new boolean[] {false, true}) {
                region.segment().fill((byte) 0);
                target.fill((byte) 0);
                if (get) {
                    region.segment().copyFrom(source);
                }
                long operation =
                        get ? pair.client().get(target, key, 0) : pair.client().put(source, key, 0);
                long flush = pair.client().flush();
                progressTurns(turns);
                assertTrue(lanes.tryBreak(turns % 2));
                progressTurns(turns);
                progressUntil(() -> haveMoved(pair), "both sides to take another path");
                progressTurns(turns);
                assertTrue(lanes.tryReturn());
                completeOk(pair.client(), operation);
                completeOk(pair.client(), flush);
                assertEquals(-1, source.mismatch(region.segment()));
                if (get) {
                    assertEquals(-1, source.mismatch(target));
                }
                progressUntil(() -> haveReturned(pair), "both sides to go back");
            }
            close(pair);
        }
    }

    @Test
    @Semantics("V-27")
    void shouldEndWithItsPeerOnTheWay() {
        configure(ConfigKeys.FAILOVER_TIMEOUT, Duration.ofSeconds(5));
        Random random = new Random(19);
        for (int round = 0; round < repetitions(15); round++) {
            Pair pair = connectAnew();
            boolean there = random.nextBoolean();
            End from = there ? pair.client() : pair.server();
            End to = there ? pair.server() : pair.client();
            MemorySegment message = next(100_000);
            for (int i = 0; i < 5; i++) {
                long _ = to.receive(next(100_000), i);
                from.send(message, i);
            }
            assertTrue(lanes.tryBreak(random.nextInt(2)));
            progressTurns(random.nextInt(8));
            if (random.nextInt(3) > 0) {
                progressUntil(() -> haveMoved(pair), "both sides to take another path");
                progressTurns(random.nextInt(8));
                boolean _ = lanes.tryReturn();
                progressTurns(random.nextInt(8));
            }
            (random.nextBoolean() ? from : to).endpoint().abort();
            progressUntil(() -> isEnded(from.endpoint()) && isEnded(to.endpoint()), "both ends to end");
            completeAll(client());
            completeAll(server());
            client().forgetEnded();
            server().forgetEnded();
        }
    }

    private void progressTurns(int turns) {
        for (int turn = 0; turn < turns; turn++) {
            progress();
        }
    }

    private void putAndGet(Pair pair, RemoteKey key, MemoryRegion region, int seed) {
        MemorySegment source = pattern(1000, seed);
        pair.client().put(source, key, seed);
        completeOk(pair.client(), pair.client().flush());
        Pattern.verify(region.segment(), seed, 1000, seed);
        MemorySegment target = buffer(1000);
        completeOk(pair.client(), pair.client().get(target, key, seed));
        Pattern.verify(target, 0, 1000, seed);
    }

    @Test
    @Semantics({"V-23", "V-25"})
    void shouldGoBackByItself() {
        for (int level = 0; level < 2; level++) {
            configure(ConfigKeys.FAILBACK_DELAY, Duration.ofMillis(level == 0 ? 1 : 0));
            lanes.forget();
            Pair pair = connect(newSide("client" + level), newSide("server" + level));
            progressUntilIdle();
            Path before = path(pair.client());
            assertTrue(lanes.tryBreak(level));
            progressUntil(() -> haveMoved(pair), "both sides to take another path");
            if (level == 0) {
                progressUntil(() -> haveReturned(pair), "both sides to go back");
                assertEquals(before, path(pair.client()));
            } else {
                for (int turn = 0; turn < 1000; turn++) {
                    progress();
                }
                assertTrue(haveMoved(pair));
            }
            long received = pair.server().receive(buffer(8), 1);
            pair.client().send(pattern(8, 1), 1);
            completeOk(pair.server(), received);
            close(pair);
        }
    }

    @Test
    @Semantics("V-19")
    void shouldDeliverWhatWasSentBeforeACloseOnTheWayBack() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(30));
        for (int round = 0; round < repetitions(30); round++) {
            Pair pair = connectAnew();
            assertTrue(lanes.tryBreak(0));
            progressUntil(() -> haveMoved(pair), "both sides to take another path");
            assertTrue(lanes.tryReturn());
            for (int turn = 0; turn < round % 10; turn++) {
                progress();
            }
            End from = round % 2 == 0 ? pair.server() : pair.client();
            sendAndClose(from, round % 2 == 0 ? pair.client() : pair.server(), 100_000, () -> {}, () -> {});
        }
    }

    /** Connects a pair whose lanes {@link LaneProvider} has first, with the memory of the last one. */
    private Pair connectAnew() {
        lanes.forget();
        taken = 0;
        Pair pair = connect();
        progressUntilIdle();
        return pair;
    }

    /** Sends messages whose receives are posted, and closes: they arrive whatever happens meanwhile. */
    private void sendAndClose(End from, End to, int length, Runnable before, Runnable after) {
        MemorySegment target = next(length);
        MemorySegment source = next(length);
        Pattern.fill(source, 0, length, 1);
        List<Long> received = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            received.add(to.receive(target, i));
            from.send(source, i);
        }
        before.run();
        from.endpoint().startClose();
        after.run();
        progressUntil(() -> isEnded(from.endpoint()) && isEnded(to.endpoint()), "both ends to be closed");
        for (long id : received) {
            assertEquals(Status.OK, to.recorder().outcome(id).status());
        }
        Pattern.verify(target, 0, length, 1);
        assertEquals(EndpointState.CLOSED, from.endpoint().state());
        assertEquals(EndpointState.CLOSED, to.endpoint().state());
    }

    private void progressWith(Pair pair, NumberedTraffic there, NumberedTraffic back, BooleanSupplier condition) {
        progressUntil(
                () -> {
                    there.post();
                    back.post();
                    return condition.getAsBoolean() || isEnded(pair);
                },
                "the path to change");
    }

    /** Posts no more, and waits until everything has arrived. */
    private void awaitAll(Pair pair, NumberedTraffic there, NumberedTraffic back) {
        progressUntil(
                () -> {
                    there.postReceives();
                    back.postReceives();
                    return (there.isIdle() && back.isIdle()) || isEnded(pair);
                },
                "everything to arrive");
        assertConnected(pair);
    }

    /** Posts traffic in some turns. */
    private void pass(Pair pair, int turns, NumberedTraffic there, NumberedTraffic back) {
        for (int turn = 0; turn < turns && !isEnded(pair); turn++) {
            there.post();
            back.post();
            progress();
        }
    }

    @Test
    @Semantics("V-16")
    void shouldShowThePathThatItTakes() {
        Pair pair = connect();
        progressUntilIdle();
        assertEquals(transport().pathClass(), path(pair.client()).pathClass());
        assertTrue(lanes.tryBreak(0));
        assertFalse(lanes.tryBreak(0));
        progressUntil(() -> haveMoved(pair), "both sides to take another path");
        for (End end : List.of(pair.client(), pair.server())) {
            assertEquals(PathClass.TCP, path(end).pathClass());
            assertEquals("tcp", path(end).transport());
        }
        assertTrue(
                path(pair.client()).reason().contains("the contract suite has broken it")
                        || path(pair.server()).reason().contains("the contract suite has broken it"),
                () -> path(pair.client()) + ", " + path(pair.server()));
        close(pair);
    }

    @Test
    @Semantics("V-17")
    void shouldStayWhereAPolicyForbidsTcp() {
        for (boolean serverForbids : new boolean[] {false, true}) {
            lanes.forget();
            configure(
                    ConfigKeys.POLICY,
                    serverForbids ? PathPolicy.named(transport().name()) : PathPolicy.AUTO);
            Side listening = newSide("listening");
            configure(
                    ConfigKeys.POLICY,
                    serverForbids
                            ? PathPolicy.AUTO
                            : PathPolicy.named(transport().name()));
            Side connecting = newSide("connecting");
            Pair pair = connect(connecting, listening);
            progressUntilIdle();
            assertFalse(lanes.tryBreak(0));
            assertFalse(lanes.tryBreak(1));
            long received = pair.server().receive(buffer(8), 1);
            pair.client().send(pattern(8, 1), 1);
            completeOk(pair.server(), received);
            assertEquals(transport().pathClass(), path(pair.client()).pathClass());
        }
    }

    @Test
    @Semantics("V-17")
    void shouldStayUnlessBothSidesHaveItOn() {
        for (boolean serverHasIt : new boolean[] {false, true}) {
            lanes.forget();
            configure(ConfigKeys.FAILOVER, serverHasIt ? "on" : "off");
            Side listening = newSide("listening");
            configure(ConfigKeys.FAILOVER, serverHasIt ? "off" : "on");
            Side connecting = newSide("connecting");
            Pair pair = connect(connecting, listening);
            progressUntilIdle();
            assertFalse(lanes.tryBreak(0));
            assertFalse(lanes.tryBreak(1));
            assertConnected(pair);
        }
    }

    @Test
    @Semantics("V-19")
    void shouldDeliverWhatWasSentBeforeACloseThoughTheLaneFailsMeanwhile() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(30));
        for (int round = 0; round < repetitions(30); round++) {
            Pair pair = connectAnew();
            boolean byServer = round % 2 == 0;
            int turn = round;
            sendAndClose(
                    byServer ? pair.server() : pair.client(),
                    byServer ? pair.client() : pair.server(),
                    10_000,
                    () -> {
                        if (turn % 3 == 0) {
                            progress();
                        }
                    },
                    () -> {
                        if (turn % 5 == 0) {
                            progress();
                        }
                        boolean _ = lanes.tryBreak(turn % 4 < 2 ? 0 : 1);
                    });
        }
    }

    private MemoryRegion region(Side side) {
        return side.context().allocate(NumberedTraffic.REGION_LENGTH, EnumSet.allOf(AccessRight.class));
    }

    private NumberedTraffic traffic(End from, End to, MemoryRegion region, long seed) {
        region.segment().set(ValueLayout.JAVA_LONG, 0, 0);
        return new NumberedTraffic(this::next, from, to, region, seed);
    }

    /** Memory that the next round uses again. */
    private MemorySegment next(long length) {
        if (taken == memory.size()) {
            memory.add(buffer(length));
        }
        return memory.get(taken++);
    }

    private static Path path(End end) {
        return end.endpoint().path().orElseThrow();
    }

    private static boolean haveMoved(Pair pair) {
        return path(pair.client()).cause() == PathCause.FAILOVER
                && path(pair.server()).cause() == PathCause.FAILOVER;
    }

    private boolean haveReturned(Pair pair) {
        return path(pair.client()).pathClass() == transport().pathClass()
                && path(pair.server()).pathClass() == transport().pathClass();
    }

    private void close(Pair pair) {
        pair.client().endpoint().startClose();
        progressUntil(() -> isOver(pair), "both ends to be closed");
        assertEquals(EndpointState.CLOSED, pair.client().endpoint().state());
        assertEquals(EndpointState.CLOSED, pair.server().endpoint().state());
    }

    private static boolean isOver(Pair pair) {
        return isEnded(pair.client().endpoint()) && isEnded(pair.server().endpoint());
    }

    private static boolean isEnded(Endpoint endpoint) {
        return endpoint.state() == EndpointState.CLOSED || endpoint.state() == EndpointState.FAILED;
    }

    private static boolean isEnded(Pair pair) {
        return isEnded(pair.client().endpoint()) || isEnded(pair.server().endpoint());
    }

    private static void assertConnected(Pair pair) {
        for (End end : List.of(pair.client(), pair.server())) {
            assertEquals(
                    EndpointState.CONNECTED,
                    end.endpoint().state(),
                    () -> end.endpoint().failure().toString());
        }
    }

    private static long value(Side side, Counter counter) {
        return side.worker().counters().value(counter);
    }
}
