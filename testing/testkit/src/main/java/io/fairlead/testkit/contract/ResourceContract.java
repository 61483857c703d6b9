package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import io.fairlead.testkit.internal.RawPeer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Resources after repeated use: memory, descriptors and threads do not grow while the workers live. The harness checks the end of every case of every
 * suite for leftovers; these cases check open workers.
 */
public class ResourceContract extends TransportContract {
    private static final int ROUNDS = repetitions(1000);
    private static final int FEWER_ROUNDS = repetitions(100);
    /** Enough rounds to distinguish steady growth from fluctuation. */
    private static final int LIVE_ROUNDS = 200;

    private static final long MIB = 1 << 20;

    /** Creates the suite. */
    protected ResourceContract() {}

    @Test
    @Semantics("N-01")
    void shouldLeaveNothingOfAThousandConnections() {
        MemorySegment target = buffer(64);
        MemorySegment source = pattern(64, 1);
        round(target, source);
        Resources before = Resources.now();
        for (int i = 1; i < ROUNDS; i++) {
            round(target, source);
        }
        assertWithin(before);
        assertEquals(ROUNDS, server().worker().counters().value(Counter.MESSAGES_RECEIVED));
        assertEquals(ROUNDS, client().worker().counters().value(Counter.ENDPOINTS_CLOSED));
    }

    @Test
    @Semantics("N-02")
    void shouldLeaveNothingOfAHundredContexts() {
        Resources before = Resources.now();
        for (int i = 0; i < FEWER_ROUNDS; i++) {
            try (Context context = openContext(config());
                    Worker worker = context.newWorker()) {
                worker.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE);
                context.allocate(4096, EnumSet.allOf(AccessRight.class));
                worker.progress();
            }
        }
        assertWithin(before);
    }

    @Test
    @Semantics("N-03")
    void shouldLeaveNothingOfRefusedConnections() throws IOException {
        InetSocketAddress nobody;
        try (ServerSocket once = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = (InetSocketAddress) once.getLocalSocketAddress();
        }
        client().progress();
        Resources before = Resources.now();
        for (int i = 0; i < FEWER_ROUNDS; i++) {
            Endpoint endpoint = client().connect(nobody);
            progressUntil(() -> client().events().ended(endpoint), "the refusal");
        }
        assertWithin(before);
    }

    @Test
    @Semantics("N-04")
    void shouldLeaveNothingOfPeersThatSayNonsense() throws IOException {
        connect();
        Resources before = Resources.now();
        for (int i = 0; i < FEWER_ROUNDS; i++) {
            try (RawPeer peer = RawPeer.connect(listener().address())) {
                peer.write(new byte[32]);
                progressUntil(peer::isAtEnd, "the listener to hang up");
            }
        }
        assertWithin(before);
    }

    @Test
    @Semantics("N-05")
    void shouldLeaveNothingOfFailedEndpoints() {
        connect();
        MemorySegment message = buffer(MIB);
        Resources before = Resources.now();
        for (int i = 0; i < FEWER_ROUNDS; i++) {
            Pair pair = connect();
            pair.client().sendSynchronous(message, 1);
            pair.client().send(message, 2);
            pair.client().receive(message, 3);
            pair.server().endpoint().abort();
            progressUntil(() -> client().events().ended(pair.client().endpoint()), "the client to lose its peer");
        }
        assertWithin(before);
        assertEquals(0, client().worker().counters().value(Counter.OPERATIONS_IN_FLIGHT));
    }

    @Test
    @Semantics("N-06")
    void shouldGiveBackTheMemoryOfRegions() throws IOException {
        Path statm = Path.of("/proc/self/statm");
        assumeTrue(Files.isReadable(statm), "the operating system does not tell the resident memory");
        Context context = client().context();
        touchRegion(context);
        long before = residentPages(statm);
        for (int i = 0; i < 256; i++) {
            touchRegion(context);
        }
        long grownBytes = (residentPages(statm) - before) * 4096;
        // The regions add up to 1 GiB; what the rest of the process takes and gives meanwhile is far below a quarter of
        // it.
        assertTrue(grownBytes < 256 * MIB, () -> "resident memory has grown: bytes=" + grownBytes);
    }

    @Test
    @Semantics("N-07")
    void shouldGiveBackBuffersOfClosedWorkersAndEndpoints() {
        round(buffer(64), pattern(64, 1));
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findFirst()
                .orElseThrow();
        System.gc();
        long before = direct.getMemoryUsed();
        for (int i = 0; i < FEWER_ROUNDS; i++) {
            Side from = newSide("from-" + i);
            Pair pair = connect(from, server());
            pair.client().endpoint().close();
            progressUntil(() -> server().events().ended(pair.server().endpoint()), "the goodbye");
            discard(from);
        }
        server().events().clear();
        long allowed = before + (64 << 10);
        progressUntil(
                () -> {
                    // The collector finds such buffers, and another thread frees them afterwards.
                    System.gc();
                    return direct.getMemoryUsed() <= allowed;
                },
                "direct buffers to be given back: before=" + before + " bytes");
    }

    @Test
    @Semantics("N-08")
    void shouldDropUnreceivedMessagesWhenTheWorkerCloses() {
        Pair pair = connect();
        for (int i = 0; i < 50; i++) {
            completeOk(pair.client(), pair.client().send(pattern(1000, i), i));
        }
        progressUntil(() -> server().worker().counters().value(Counter.UNEXPECTED_NOW) == 50, "the messages to arrive");
        server().worker().close();
        assertEquals(0, server().worker().counters().value(Counter.UNEXPECTED_NOW));
    }

    @Test
    @Semantics("N-09")
    void shouldHaveNothingInFlightAfterClosingTheWorker() {
        Pair pair = connect();
        for (int i = 0; i < 100; i++) {
            client().receive(buffer(8), 100 + i, Worker.FULL_TAG_MASK);
            pair.client().receive(buffer(8), 500 + i);
            pair.client().sendSynchronous(buffer(8), i);
        }
        assertEquals(300, client().worker().counters().value(Counter.OPERATIONS_IN_FLIGHT));
        client().worker().close();
        assertEquals(0, client().worker().counters().value(Counter.OPERATIONS_IN_FLIGHT));
        assertEquals(300, client().recorder().count());
    }

    @Test
    @Semantics("N-10")
    void shouldFreeAllocatedMemoryAndLeaveRegisteredMemory() {
        MemorySegment own = buffer(4096);
        MemoryRegion allocated = client().context().allocate(4096, Set.of(AccessRight.READ));
        MemoryRegion registered = client().context().register(own, Set.of(AccessRight.READ));
        MemorySegment segment = allocated.segment();
        segment.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        allocated.close();
        registered.close();
        assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
        own.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        assertEquals(1, own.get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    @Semantics("N-11")
    void shouldBoundOpenRegions() {
        configure(ConfigKeys.REGIONS_MAX, 4);
        Context context = client().context();
        List<MemoryRegion> regions = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            regions.add(context.allocate(64, Set.of(AccessRight.READ)));
        }
        FairleadException failure =
                assertThrows(FairleadException.class, () -> context.allocate(64, Set.of(AccessRight.READ)));
        assertEquals(Reason.LIMIT_REACHED, failure.reason());
        assertMentions("regions-max=4", failure);
        regions.removeFirst().close();
        for (int i = 0; i < ROUNDS; i++) {
            context.allocate(64, Set.of(AccessRight.READ)).close();
        }
    }

    @Test
    @Semantics("N-12")
    void shouldReuseWhatFewOperationsNeed() {
        configure(ConfigKeys.OPERATIONS_MAX, 16);
        Pair pair = connect();
        MemorySegment target = buffer(64);
        for (int i = 0; i < ROUNDS; i++) {
            long received = pair.server().receive(target, i);
            pair.client().send(pattern(64, i), i);
            completeOk(pair.server(), received);
            completeAll(client());
        }
        Pattern.verify(target, 0, 64, ROUNDS - 1);
    }

    @Test
    @Semantics("N-13")
    void shouldStartNoThreads() {
        // Contexts may start some for the first connection.
        connect();
        Set<Thread> before = Resources.now().threads();
        Pair pair = connect();
        long received = pair.server().receive(buffer(MIB), 1);
        pair.client().send(pattern(MIB, 1), 1);
        completeOk(pair.server(), received);
        assertEquals(before, Resources.now().threads());
    }

    @Test
    @Semantics("N-14")
    void shouldGiveBackTheDescriptorsOfManyEndpoints() {
        connect();
        Resources before = Resources.now();
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < FEWER_ROUNDS; i++) {
            pairs.add(connect());
        }
        assertFalse(Resources.now().withinThoseOf(before));
        pairs.forEach(pair -> pair.client().endpoint().close());
        progressUntil(
                () -> pairs.stream()
                        .allMatch(pair -> server().events().ended(pair.server().endpoint())),
                "all goodbyes to arrive");
        assertWithin(before);
    }

    @Test
    @Semantics("N-15")
    void shouldGiveBackRemoteKeys() {
        Pair pair = connect();
        MemoryRegion region = server().context().allocate(64, EnumSet.allOf(AccessRight.class));
        byte[] packed = region.packedKey();
        for (int i = 0; i < 10 * ROUNDS; i++) {
            RemoteKey key = pair.client().endpoint().unpack(packed);
            assertEquals(64, key.length());
            key.close();
        }
        RemoteKey last = pair.client().endpoint().unpack(packed);
        completeOk(pair.client(), pair.client().get(buffer(64), last, 0));
    }

    @Test
    @Semantics("N-20")
    void shouldKeepBytesAndNoTransportForMessagesOfEndedEndpoints() {
        requires(Capability.TAGGED);
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findFirst()
                .orElseThrow();
        leaveBehind(10);
        System.gc();
        long heapBefore = usedHeap();
        long directBefore = direct.getMemoryUsed();
        int endpoints = 500;
        leaveBehind(endpoints);
        // What the bound counts for an endpoint and a short message.
        long heapAllowed = heapBefore + endpoints * (4096L + 192 + 100);
        long directAllowed = directBefore + (64 << 10);
        progressUntil(
                () -> {
                    System.gc();
                    return usedHeap() <= heapAllowed && direct.getMemoryUsed() <= directAllowed;
                },
                "the ended endpoints to be given back: heap before=" + heapBefore + ", direct before=" + directBefore
                        + " bytes");
        assertEquals(10 + endpoints, server().worker().counters().value(Counter.UNEXPECTED_NOW));
        MemorySegment target = buffer(100);
        for (int i = 0; i < 10 + endpoints; i++) {
            Outcome outcome = complete(server(), server().receive(target, 1, Worker.FULL_TAG_MASK));
            assertEquals(Status.OK, outcome.status());
            assertEquals(
                    EndpointState.CLOSED,
                    outcome.source().orElseThrow().state(),
                    "the source of a message left behind");
            Pattern.verify(target, 0, 100, 1);
        }
    }

    private static long usedHeap() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Connections of a side that is gone afterwards, so that nothing but the server's worker holds what is left of them. */
    private void leaveBehind(int endpoints) {
        Side from = newSide("from-" + endpoints);
        MemorySegment source = pattern(100, 1);
        long kept = server().worker().counters().value(Counter.UNEXPECTED_NOW);
        for (int i = 1; i <= endpoints; i++) {
            Pair pair = connect(from, server());
            completeOk(pair.client(), pair.client().send(source, 1));
            long count = kept + i;
            progressUntil(() -> server().worker().counters().value(Counter.UNEXPECTED_NOW) == count, "the message");
            pair.client().endpoint().startClose();
            progressUntil(() -> server().events().ended(pair.server().endpoint()), "the goodbye");
        }
        discard(from);
        server().events().clear();
    }

    @Test
    @Semantics("N-21")
    void shouldKeepNothingOfEndpointsThatEnded() {
        MemorySegment target = buffer(64);
        MemorySegment source = pattern(64, 1);
        AtomicInteger completions = new AtomicInteger();
        LiveObjects.assertNothingLeftOf(LIVE_ROUNDS, () -> {
            completions.set(0);
            Pair pair = connect();
            // Not by the recorders, which keep every operation.
            assertTrue(pair.server().endpoint().receive(target, 1, _ -> completions.incrementAndGet()) > 0);
            assertTrue(pair.client().endpoint().send(source, 1, _ -> completions.incrementAndGet()) > 0);
            progressUntil(() -> completions.get() == 2, "the message");
            pair.client().endpoint().close();
            progressUntil(() -> server().events().ended(pair.server().endpoint()), "the goodbye");
            client().forgetEnded();
            server().forgetEnded();
        });
    }

    @Test
    @Semantics("N-23")
    void shouldKeepIdleEndpointsSmall() {
        LiveObjects.assertPartsOfEach(LIVE_ROUNDS, 2, transport().endpointPartsMax(), this::connect);
    }

    private void round(MemorySegment target, MemorySegment source) {
        Pair pair = connect();
        long received = pair.server().receive(target, 1);
        long sent = pair.client().send(source, 1);
        completeOk(pair.server(), received);
        completeOk(pair.client(), sent);
        pair.client().endpoint().close();
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the goodbye");
    }

    /** What a selector holds of a closed connection goes with its next selection, so the workers may take a turn. */
    private void assertWithin(Resources before) {
        progressUntil(
                () -> Resources.now().withinThoseOf(before),
                "descriptors and threads to be given back: " + Resources.now().beyond(before));
    }

    private static void touchRegion(Context context) {
        MemoryRegion region = context.allocate(4 * MIB, Set.of(AccessRight.WRITE));
        region.segment().fill((byte) 1);
        region.close();
    }

    private static long residentPages(Path statm) throws IOException {
        return Long.parseLong(Files.readString(statm).split(" ", -1)[1]);
    }
}
