package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Put-with-signal: the target learns when the data is visible. */
public class RemoteSignalContract extends RemoteMemoryCases {
    /** Creates the suite of one case; JUnit does. */
    protected RemoteSignalContract() {}

    @BeforeEach
    final void requireSignals() {
        requires(Capability.PUT_SIGNAL);
    }

    @Test
    @Semantics("R-17")
    void shouldDeliverValueAfterDataIsVisible() {
        Pair pair = connect();
        MemoryRegion region = region(1 << 20);
        RemoteKey key = pair.client().unpack(region);
        List<AssertionError> broken = new ArrayList<>();
        server().events().also(new EndpointHandler() {
            @Override
            public void signalled(Endpoint endpoint, long value) {
                try {
                    Pattern.verify(region.segment(), 0, lengthOf(value), value);
                } catch (AssertionError e) {
                    broken.add(e);
                }
            }
        });
        for (int round = 1; round <= 100; round++) {
            pair.client().putSignal(pattern(lengthOf(round), round), round, key, 0);
            int arrived = round;
            progressUntil(() -> signals(pair).size() == arrived, "the signal");
            assertEquals(List.of(), broken, "data that was not there when its signal was");
        }
        completeAll(client());
    }

    private static long lengthOf(long round) {
        return round % 10 == 0 ? 1 << 20 : round * 37;
    }

    @Test
    @Semantics("R-17")
    void shouldNotNeedFlushForSignal() {
        Pair pair = connect();
        MemoryRegion region = region(1 << 16);
        RemoteKey key = pair.client().unpack(region);
        pair.client().putSignal(pattern(1 << 16, 1), 7, key, 0);
        progressUntil(() -> signals(pair).equals(List.of(7L)), "the signal");
        Pattern.verify(region.segment(), 0, 1 << 16, 1);
        completeAll(client());
    }

    @Test
    @Semantics("R-18")
    void shouldDeliverEachValueOnceInOrderOfFences() {
        Pair pair = connect();
        RemoteKey key = pair.client().unpack(region(1 << 16));
        List<Long> expected = new ArrayList<>();
        for (long i = 0; i < 200; i++) {
            // Long and short ones by turns, so that order would not come by itself.
            pair.client().putSignal(pattern(i % 4 == 0 ? 1 << 16 : 8, i), i, key, 0);
            assertEquals(Status.OK.code(), pair.client().endpoint().fence());
            expected.add(i);
        }
        progressUntil(() -> signals(pair).size() >= 200, "all signals");
        progressUntilIdle();
        assertEquals(expected, signals(pair));
        completeAll(client());
    }

    @Test
    @Semantics("R-51")
    void shouldKeepOrderOfFencesAcrossKindsOfRegionsWithoutRoom() {
        requires(Capability.TAGGED);
        Pair pair = connect();
        RemoteKey allocated = pair.client().unpack(region(64));
        RemoteKey registered = pair.client().unpack(server().context().register(buffer(64), ALL_RIGHTS));
        progressUntilIdle();
        // Where messages and signals share what is between two processes, it is full now.
        for (int i = 0; i < 8; i++) {
            pair.server().receive(buffer(8000), 1);
            pair.client().send(pattern(8000, i), 1);
        }
        pair.client().putSignal(pattern(8, 1), 1, allocated, 0);
        assertEquals(Status.OK.code(), pair.client().endpoint().fence());
        pair.client().putSignal(pattern(8, 2), 2, registered, 0);
        progressUntil(() -> signals(pair).size() == 2, "both signals");
        assertEquals(List.of(1L, 2L), signals(pair));
        completeAll(client());
        completeAll(server());
    }

    @Test
    @Semantics("R-51")
    void shouldKeepOrderOfFencesAcrossKindsOfRegions() {
        Pair pair = connect();
        Endpoint endpoint = pair.client().endpoint();
        RemoteKey allocated = pair.client().unpack(region(1 << 16));
        RemoteKey registered = pair.client().unpack(server().context().register(buffer(1 << 16), ALL_RIGHTS));
        List<Long> expected = new ArrayList<>();
        Random random = new Random(1);
        for (long i = 0; i < 300; i++) {
            RemoteKey key = random.nextBoolean() ? allocated : registered;
            int length = random.nextInt(4) == 0 ? 1 << 16 : 8;
            MemorySegment source = pattern(length, i);
            long posted = endpoint.putSignal(source, i, key, 0, client().recorder());
            for (; posted <= 0; posted = endpoint.putSignal(source, i, key, 0, client().recorder())) {
                assertEquals(Status.BACK_PRESSURE, Status.of(posted));
                progress();
            }
            pair.client().posted(posted);
            assertEquals(Status.OK.code(), endpoint.fence());
            expected.add(i);
        }
        progressUntil(() -> signals(pair).size() >= expected.size(), "all signals");
        assertEquals(expected, signals(pair));
        completeAll(client());
    }

    @Test
    @Semantics("R-18")
    void shouldDeliverEachValueOnceWithoutFences() {
        Pair pair = connect();
        RemoteKey key = pair.client().unpack(region(1 << 16));
        Set<Long> expected = new HashSet<>();
        for (long i = 0; i < 500; i++) {
            pair.client().putSignal(pattern(100, i), i, key, 100 * i);
            expected.add(i);
        }
        flush(pair.client());
        progressUntil(() -> signals(pair).size() >= 500, "all signals");
        progressUntilIdle();
        assertEquals(500, signals(pair).size());
        assertEquals(expected, new HashSet<>(signals(pair)));
        completeAll(client());
    }

    @Test
    @Semantics("R-19")
    void shouldDeliverValueWithoutData() {
        Pair pair = connect();
        MemoryRegion region = region(64);
        region.segment().fill(UNTOUCHED);
        RemoteKey key = pair.client().unpack(region);
        for (long offset : new long[] {0, 64}) {
            Outcome outcome = completeOk(pair.client(), pair.client().putSignal(buffer(0), offset, key, offset));
            assertEquals(0, outcome.length());
        }
        progressUntil(() -> signals(pair).size() == 2, "both signals");
        Pattern.verifyFilled(region.segment(), 0, 64, UNTOUCHED);
    }

    @Test
    @Semantics("R-20")
    void shouldDeliverEveryValue() {
        Pair pair = connect();
        RemoteKey key = pair.client().unpack(region(64));
        List<Long> values = List.of(0L, -1L, 1L, Long.MIN_VALUE, Long.MAX_VALUE, 0x0123_4567_89AB_CDEFL);
        for (int i = 0; i < values.size(); i++) {
            pair.client().putSignal(buffer(8), values.get(i), key, 0);
            int arrived = i + 1;
            progressUntil(() -> signals(pair).size() == arrived, "the signal");
        }
        assertEquals(values, signals(pair));
        completeAll(client());
    }

    @Test
    @Semantics("R-18")
    void shouldTellWhichEndpointSignalled() {
        List<Pair> pairs = List.of(connect(), connect(), connect());
        MemoryRegion region = region(64);
        for (int i = 0; i < 3; i++) {
            End client = pairs.get(i).client();
            client.putSignal(buffer(8), 100 + i, client.unpack(region), 8L * i);
        }
        for (int i = 0; i < 3; i++) {
            Pair pair = pairs.get(i);
            List<Long> expected = List.of(100L + i);
            progressUntil(() -> signals(pair).equals(expected), "the endpoint's signal");
        }
        completeAll(client());
    }

    @Test
    @Semantics("R-21")
    void shouldNotDeliverValueOfRefusedData() {
        Pair pair = connect();
        MemoryRegion region = region(64);
        RemoteKey key = pair.client().unpack(region);
        region.close();
        // The client is not notified of it yet, so the target refuses.
        long posted = pair.client().endpoint().putSignal(buffer(8), 1, key, 0, client().recorder());
        if (posted > 0) {
            pair.client().posted(posted);
            assertEquals(Status.REVOKED, flushed(pair.client()));
        } else {
            assertEquals(Status.REVOKED, Status.of(posted));
        }
        progressUntilIdle();
        assertEquals(List.of(), signals(pair));
        // The next signal is delivered as ever.
        pair.client().putSignal(buffer(8), 2, pair.client().unpack(region(64)), 0);
        progressUntil(() -> signals(pair).equals(List.of(2L)), "the signal");
        completeAll(client());
        assertTrue(server().events().count(Event.Kind.FAILED) == 0);
    }

    private List<Long> signals(Pair pair) {
        return server().events().signals(pair.server().endpoint());
    }
}
