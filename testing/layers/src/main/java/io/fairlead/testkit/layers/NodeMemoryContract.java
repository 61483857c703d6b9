package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MemoryRegion;
import io.fairlead.Status;
import io.fairlead.node.Message;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerKey;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Semantics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** Remote memory between nodes, from any thread. */
public class NodeMemoryContract extends NodeCases {
    private static final Set<AccessRight> ALL = EnumSet.allOf(AccessRight.class);

    /** Creates the suite. */
    protected NodeMemoryContract() {}

    @Test
    @Semantics("O-20")
    void shouldPutAndGet() {
        requires(Capability.PUT, Capability.GET);
        Peers peers = connectNodes();
        MemoryRegion region = serverNode().allocate(1 << 20, ALL);
        PeerKey key = get(peers.client().unpack(region.packedKey()));
        assertEquals(1 << 20, key.length());
        assertEquals(ALL, key.rights());
        for (long length : new long[] {0, 8, 5000, 1 << 20}) {
            MemorySegment target = buffer(length);
            get(peers.client().put(pattern(length, length), key, 0));
            get(peers.client().flush());
            Pattern.verify(region.segment(), 0, length, length);
            get(peers.client().get(target, key, 0));
            Pattern.verify(target, 0, length, length);
        }
    }

    @Test
    @Semantics("O-20")
    void shouldPutFromAndGetIntoHeapMemory() {
        requires(Capability.PUT, Capability.GET);
        Peers peers = connectNodes();
        MemoryRegion region = serverNode().allocate(64, ALL);
        PeerKey key = get(peers.client().unpack(region.packedKey()));
        byte[] source = {1, 2, 3, 4, 5, 6, 7, 8};
        byte[] target = new byte[8];
        CompletableFuture<Void> put = peers.client().put(MemorySegment.ofArray(source), key, 8);
        source[0] = 99;
        get(put);
        get(peers.client().flush());
        get(peers.client().get(MemorySegment.ofArray(target), key, 8));
        assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, target);
    }

    @Test
    @Semantics("O-21")
    void shouldAddFromManyThreads() throws InterruptedException {
        requires(Capability.ATOMIC);
        Peers peers = connectNodes();
        MemoryRegion region = serverNode().allocate(64, ALL);
        PeerKey key = get(peers.client().unpack(region.packedKey()));
        int threads = 50;
        int rounds = 20;
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(CompletableFuture.runAsync(
                        () -> {
                            for (int round = 0; round < rounds; round++) {
                                get(peers.client().fetchAdd(3, key, 8));
                            }
                        },
                        executor));
            }
            running.forEach(NodeCases::get);
        }
        long expected = 3L * threads * rounds;
        assertEquals(expected, get(peers.client().compareAndSwap(expected, 7, key, 8)));
        assertEquals(7, region.segment().get(ValueLayout.JAVA_LONG, 8));
    }

    @Test
    @Semantics("O-22")
    void shouldTellSignalsInOrderEvenThoseBeforeTheHandler() {
        requires(Capability.PUT_SIGNAL);
        Peers peers = connectNodes();
        MemoryRegion region = serverNode().allocate(64, ALL);
        PeerKey key = get(peers.client().unpack(region.packedKey()));
        int count = 100;
        BlockingQueue<Long> told = new LinkedBlockingQueue<>();
        for (long value = 1; value <= count; value++) {
            if (value == count / 2) {
                // What came before is flushed, and so has arrived before anybody listens.
                get(peers.client().flush());
                peers.server().onSignal(signal -> {
                    assertEquals(region.segment().get(ValueLayout.JAVA_LONG, 0) >= signal, true);
                    told.add(signal);
                });
            }
            MemorySegment data = buffer(8);
            data.set(ValueLayout.JAVA_LONG, 0, value);
            get(peers.client().putSignal(data, value, key, 0));
        }
        for (long value = 1; value <= count; value++) {
            assertEquals(value, take(told, "a signal"));
        }
    }

    @Test
    @Semantics("O-23")
    void shouldRefuseWhatKeyDoesNotAllow() {
        requires(Capability.PUT, Capability.GET, Capability.ATOMIC);
        Peers peers = connectNodes();
        Peer other = connectNodes().client();
        Peer peer = peers.client();
        PeerKey readable = get(
                peer.unpack(serverNode().allocate(64, Set.of(AccessRight.READ)).packedKey()));
        PeerKey writable = get(
                peer.unpack(serverNode().allocate(64, Set.of(AccessRight.WRITE)).packedKey()));
        PeerKey atomic = get(peer.unpack(
                serverNode().allocate(64, Set.of(AccessRight.ATOMIC)).packedKey()));
        MemorySegment data = buffer(8);
        assertThrows(IllegalArgumentException.class, () -> peer.put(data, readable, 0));
        assertThrows(IllegalArgumentException.class, () -> peer.get(data, writable, 0));
        assertThrows(IllegalArgumentException.class, () -> peer.fetchAdd(1, writable, 0));
        assertThrows(IllegalArgumentException.class, () -> peer.fetchAdd(1, atomic, 4));
        assertThrows(IllegalArgumentException.class, () -> other.put(data, writable, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> peer.put(data, writable, 57));
        assertThrows(IndexOutOfBoundsException.class, () -> peer.put(data, writable, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> peer.get(data, readable, Long.MAX_VALUE));
        assertThrows(IllegalArgumentException.class, () -> peer.get(data.asReadOnly(), readable, 0));
        get(peer.put(data, writable, 56));
        get(peer.get(data, readable, 56));
        assertEquals(0, get(peer.fetchAdd(1, atomic, 56)));
    }

    @Test
    @Semantics("O-24")
    void shouldRefuseBytesThatAreNoKey() {
        Peers peers = connectNodes();
        assertEquals(
                Reason.MALFORMED_KEY,
                failureOf(peers.client().unpack(new byte[7])).reason());
        byte[] mine = clientNode().allocate(64, ALL).packedKey();
        assertEquals(Reason.STALE_KEY, failureOf(peers.client().unpack(mine)).reason());
    }

    @Test
    @Semantics("O-25")
    void shouldFreeKeyWhenItsLastOperationHasEnded() {
        requires(Capability.PUT);
        Peers peers = connectNodes();
        MemoryRegion region = serverNode().allocate(64, ALL);
        PeerKey key = get(peers.client().unpack(region.packedKey()));
        List<CompletableFuture<Void>> puts = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            puts.add(peers.client().put(pattern(64, i), key, 0));
        }
        key.close();
        key.close();
        assertThrows(IllegalStateException.class, () -> peers.client().put(buffer(8), key, 0));
        puts.forEach(NodeCases::get);
        get(peers.client().flush());
        Pattern.verify(region.segment(), 0, 64, 99);
    }

    @Test
    @Semantics("O-26")
    void shouldTellWhenRegionIsClosed() {
        requires(Capability.PUT, Capability.GET);
        Peers peers = connectNodes();
        MemoryRegion region = serverNode().allocate(64, ALL);
        PeerKey key = get(peers.client().unpack(region.packedKey()));
        region.close();
        // Either the revocation has arrived, or the target refuses the get: both have the same status.
        assertEquals(
                Status.REVOKED,
                failureOf(peers.client().get(buffer(8), key, 0)).status().orElseThrow());
        assertEquals(
                Reason.REVOKED, failureOf(peers.client().get(buffer(8), key, 0)).reason());
    }

    @Test
    @Semantics("O-79")
    void shouldGoOnWhenItsOwnerClosesTheMemoryOfARegion() {
        requires(Capability.PUT, Capability.GET);
        Peers peers = connectNodes();
        Peers others = connectNodes();
        Arena arena = Arena.ofShared();
        MemoryRegion region = serverNode().register(arena.allocate(1 << 16, 8), ALL);
        PeerKey key = get(peers.client().unpack(region.packedKey()));
        get(peers.client().put(pattern(64, 1), key, 0));
        get(peers.client().flush());
        arena.close();
        // The flush after a put reports its refusal.
        get(peers.client().put(pattern(1 << 16, 2), key, 0));
        assertEquals(Status.REVOKED, failureOf(peers.client().flush()).status().orElseThrow());
        assertEquals(
                Status.REVOKED,
                failureOf(peers.client().get(buffer(8), key, 0)).status().orElseThrow());
        for (Peers pair : List.of(peers, others)) {
            CompletableFuture<Message> received = pair.server().receive(1);
            get(pair.client().send(new byte[3], 1));
            assertEquals(3, get(received).length());
        }
        region.close();
    }

    @Test
    @Semantics("O-27")
    void shouldOrderOperationsByFence() {
        requires(Capability.PUT, Capability.GET);
        Peers peers = connectNodes();
        MemoryRegion region = serverNode().allocate(4096, ALL);
        PeerKey key = get(peers.client().unpack(region.packedKey()));
        for (int round = 0; round < 100; round++) {
            MemorySegment target = buffer(4096);
            CompletableFuture<Void> put = peers.client().put(pattern(4096, round), key, 0);
            CompletableFuture<Void> fence = peers.client().fence();
            CompletableFuture<Void> got = peers.client().get(target, key, 0);
            get(fence);
            get(got);
            get(put);
            Pattern.verify(target, 0, 4096, round);
        }
    }
}
