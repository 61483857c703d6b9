package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Capability;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.MemoryRegion;
import io.fairlead.PathClass;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/** Long puts and gets, and puts of several initiators. */
public class RemoteTransferContract extends RemoteMemoryCases {
    private static final int LONG = 32 << 20;
    private static final int SHORT = 64;

    /** Creates the suite of one case; JUnit does. */
    protected RemoteTransferContract() {}

    private void requireMappedMemory() {
        requires(Capability.MAPPED_MEMORY, Capability.ATOMIC, Capability.TAGGED);
    }

    /** A message of the peer's that is here already is received in the next turns. */
    private void assertReceives(Pair pair, long unended) {
        pair.server().send(pattern(SHORT, 9), 9);
        completeOk(pair.client(), pair.client().receive(buffer(SHORT), 9));
        assertFalse(client().recorder().has(unended), "the transfer has kept the worker from everything else");
    }

    @Test
    @Semantics("R-53")
    void shouldReceiveWhileLongPutIsUnderWay() {
        requireMappedMemory();
        Pair pair = connect();
        MemoryRegion region = region(LONG);
        RemoteKey key = pair.client().unpack(region);
        progressUntilIdle();
        MemorySegment source = pattern(LONG, 1);
        long put = pair.client().put(source, key, 0);
        assertReceives(pair, put);
        flush(pair.client());
        assertEquals(-1, source.mismatch(region.segment()), "first byte that differs at the target");
        assertEquals(LONG, completeOk(pair.client(), put).length());
    }

    @Test
    @Semantics("R-53")
    void shouldReceiveWhileLongGetIsUnderWay() {
        requireMappedMemory();
        Pair pair = connect();
        MemoryRegion region = region(LONG);
        Pattern.fill(region.segment(), 0, LONG, 2);
        RemoteKey key = pair.client().unpack(region);
        progressUntilIdle();
        MemorySegment target = buffer(LONG);
        long get = pair.client().get(target, key, 0);
        assertReceives(pair, get);
        assertEquals(LONG, completeOk(pair.client(), get).length());
        assertEquals(-1, target.mismatch(region.segment()), "first byte that differs here");
    }

    @Test
    @Semantics({"R-05", "R-06", "R-07", "R-08"})
    void shouldKeepOrderBehindLongTransfers() {
        requires(Capability.ATOMIC);
        Pair pair = connect();
        End client = pair.client();
        MemoryRegion region = region(LONG);
        MemoryRegion served = server().context().register(buffer(SHORT), ALL_RIGHTS);
        RemoteKey key = client.unpack(region);
        RemoteKey servedKey = client.unpack(served);
        MemorySegment zeroes = buffer(LONG);
        MemorySegment last = buffer(8);
        client.put(pattern(LONG, 3), key, 0);
        assertEquals(Status.OK.code(), client.endpoint().fence());
        client.get(last, key, LONG - 8);
        assertEquals(Status.OK.code(), client.endpoint().fence());
        client.put(zeroes, key, 0);
        assertEquals(Status.OK.code(), client.endpoint().fence());
        long add = client.fetchAdd(5, key, LONG - 8);
        assertEquals(Status.OK.code(), client.endpoint().fence());
        client.put(pattern(SHORT, 4), key, 0);
        assertEquals(Status.OK.code(), client.endpoint().fence());
        client.put(pattern(SHORT, 5), servedKey, 0);
        long flush = client.flush();
        completeOk(client, flush);
        Pattern.verify(last, 0, 8, 3, LONG - 8);
        assertEquals(0, completeOk(client, add).value());
        assertEquals(5, region.segment().get(WORD, LONG - 8));
        Pattern.verify(region.segment(), 0, SHORT, 4);
        Pattern.verifyFilled(region.segment(), SHORT, LONG - SHORT - 8, (byte) 0);
        Pattern.verify(served.segment(), 0, SHORT, 5);
        completeAll(client());
    }

    @Test
    @Semantics({"R-42", "R-43"})
    void shouldTellOfRegionThatIsClosedDuringLongTransfers() {
        requireMappedMemory();
        Pair pair = connect();
        MemoryRegion region = region(LONG);
        RemoteKey key = pair.client().unpack(region);
        long put = pair.client().put(buffer(LONG), key, 0);
        long get = pair.client().get(buffer(LONG), key, 0);
        long flush = pair.client().flush();
        client().progress();
        region.close();
        completeOk(pair.client(), put);
        assertEquals(Status.REVOKED, complete(pair.client(), get).status());
        assertEquals(Status.REVOKED, complete(pair.client(), flush).status());
        assertEquals(Status.OK, flushed(pair.client()), "a refusal is told once");
    }

    @Test
    @Semantics("F-03")
    void shouldEndLongTransfersWithTheirEndpoint() {
        requireMappedMemory();
        Pair pair = connect();
        RemoteKey key = pair.client().unpack(region(LONG));
        long put = pair.client().put(buffer(LONG), key, 0);
        long get = pair.client().get(buffer(LONG), key, 0);
        client().progress();
        pair.client().endpoint().abort();
        assertEquals(Status.CLOSED, client().recorder().outcome(put).status());
        assertEquals(Status.CLOSED, client().recorder().outcome(get).status());
    }

    @Test
    @Semantics("R-52")
    void shouldLetOneOfTwoInitiatorsSeeTheOther() {
        boolean shared = transport().pathClass() == PathClass.SHARED_MEMORY;
        MemoryRegion region = region(4096);
        byte[] packed = region.packedKey();
        Litmus litmus =
                new Litmus(repetitions(shared ? 50_000 : 100), listener().address());
        PeerThread first = newPeerThread("first");
        PeerThread second = newPeerThread("second");
        CompletableFuture<Boolean> one = first.submit(side -> litmus.run(side, packed, 0));
        CompletableFuture<Boolean> other = second.submit(side -> litmus.run(side, packed, 1));
        progressUntil(() -> one.isDone() && other.isDone(), "both initiators");
        assertTrue(one.join() && other.join());
        for (int round = 0; round < litmus.limit.get(); round++) {
            // Each has got the other's word of this round or of the one before.
            assertTrue(
                    litmus.got[0][round] > round || litmus.got[1][round] > round,
                    "both got what was there before they put, in round " + round);
        }
    }

    /** Two initiators that, round after round and at the same time, put a word each and get the other's behind a flush. */
    private static final class Litmus {
        private static final long APART = 2048;
        private static final long TIME_NS = 1_000_000_000;

        final long[][] got;
        /** How many rounds there are: fewer where they take long. */
        final AtomicInteger limit;

        private final InetSocketAddress address;
        private final AtomicIntegerArray arrived = new AtomicIntegerArray(2);

        Litmus(int rounds, InetSocketAddress address) {
            this.got = new long[2][rounds];
            this.limit = new AtomicInteger(rounds);
            this.address = address;
        }

        boolean run(Side side, byte[] packed, int self) {
            Endpoint endpoint = side.connect(address);
            while (endpoint.state() == EndpointState.CONNECTING) {
                side.progress();
            }
            try (RemoteKey key = endpoint.unpack(packed);
                    Arena arena = Arena.ofConfined()) {
                MemorySegment mine = arena.allocate(8, 8);
                MemorySegment others = arena.allocate(8, 8);
                Ended ended = new Ended();
                long sinceNs = System.nanoTime();
                for (int round = 0; round < limit.get(); round++) {
                    mine.set(WORD, 0, round + 1);
                    if (self == 0 && System.nanoTime() - sinceNs > TIME_NS) {
                        limit.set(round + 1);
                    }
                    meet(self, round);
                    int before = ended.count;
                    assertTrue(endpoint.put(mine, 0, 8, key, self * APART, ended, 0) > 0);
                    assertTrue(endpoint.flush(ended) > 0);
                    while (ended.count < before + 2) {
                        side.progress();
                    }
                    assertTrue(endpoint.get(others, 0, 8, key, (1 - self) * APART, ended, 0) > 0);
                    while (ended.count < before + 3) {
                        side.progress();
                    }
                    got[self][round] = others.get(WORD, 0);
                }
                return ended.good;
            }
        }

        private void meet(int self, int round) {
            arrived.set(self, round + 1);
            for (int spins = 0; arrived.get(1 - self) <= round; spins++) {
                if (spins < 1000) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
        }
    }

    /** Counts what has ended. */
    private static final class Ended implements Completion.Immediate {
        int count;
        boolean good = true;

        @Override
        public void completed(Request request) {
            count++;
            good &= request.status() == Status.OK;
        }
    }
}
