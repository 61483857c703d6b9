package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Endpoints, listeners, regions and remote keys: states, closing twice, closing at once. */
public class EndpointLifecycleContract extends TransportContract {
    /** Creates the suite. */
    protected EndpointLifecycleContract() {}

    @Test
    @Semantics("L-12")
    void shouldCloseEndpointTwice() {
        Pair pair = connect();
        pair.client().endpoint().close();
        pair.client().endpoint().close();
        pair.client().endpoint().abort();
        assertEquals(EndpointState.CLOSED, pair.client().endpoint().state());
        assertEquals(1, pair.client().events().count(Event.Kind.CLOSED));
    }

    @Test
    @Semantics("L-13")
    void shouldRefusePostsOnClosedEndpoint() {
        Pair pair = connect();
        Endpoint endpoint = pair.client().endpoint();
        endpoint.close();
        MemorySegment buffer = buffer(8);
        Recorder recorder = pair.client().recorder();
        assertEquals(Endpoint.CLOSED, endpoint.send(buffer, 0, 8, 1, recorder, 0));
        assertEquals(Endpoint.CLOSED, endpoint.sendSynchronous(buffer, 0, 8, 1, recorder, 0));
        assertEquals(Endpoint.CLOSED, endpoint.receive(buffer, 0, 8, 1, 1, recorder, 0));
        assertEquals(Endpoint.CLOSED, endpoint.flush(recorder));
        assertEquals(Endpoint.CLOSED, endpoint.fence());
        progressUntilIdle();
        assertEquals(0, recorder.count());
    }

    @Test
    @Semantics("L-14")
    void shouldTellThePeerOfAGoodbye() {
        Pair pair = connect();
        pair.client().endpoint().close();
        progressUntil(() -> pair.server().events().ended(pair.server().endpoint()), "the server to see the goodbye");
        assertEquals(EndpointState.CLOSED, pair.server().endpoint().state());
        assertTrue(pair.server().endpoint().failure().isEmpty());
    }

    @Test
    @Semantics("L-15")
    void shouldCloseBothEndsAtOnce() {
        Pair pair = connect();
        pair.client().endpoint().close();
        pair.server().endpoint().close();
        assertEquals(EndpointState.CLOSED, pair.client().endpoint().state());
        assertEquals(EndpointState.CLOSED, pair.server().endpoint().state());
    }

    @Test
    @Semantics("L-16")
    void shouldCloseEndpointThatIsConnecting() {
        listener();
        Endpoint endpoint = client().connect(server());
        endpoint.close();
        assertEquals(EndpointState.CLOSED, endpoint.state());
        progressUntilIdle();
        assertEquals(List.of(Event.Kind.CLOSED), kinds(client().events().of(endpoint)));
    }

    @Test
    @Semantics("L-17")
    void shouldEndAbortedEndpointAtOnce() {
        Pair pair = connect();
        pair.client().endpoint().abort();
        assertEquals(EndpointState.CLOSED, pair.client().endpoint().state());
        assertTrue(pair.client().events().ended(pair.client().endpoint()));
        progressUntil(() -> pair.server().events().ended(pair.server().endpoint()), "the server to lose its peer");
        assertEquals(EndpointState.FAILED, pair.server().endpoint().state());
    }

    @Test
    @Semantics("L-17")
    void shouldEndEndpointThatATaskAbortsWhenTheTaskHasReturned() {
        Pair pair = connect();
        Endpoint endpoint = pair.client().endpoint();
        List<EndpointState> seen = new ArrayList<>();
        client().worker().attach(() -> {
            if (seen.isEmpty()) {
                endpoint.abort();
                seen.add(endpoint.state());
                assertFalse(client().events().ended(endpoint), "its handler was told inside the task");
            }
            return 0;
        });
        progressUntil(() -> client().events().ended(endpoint), "the endpoint to end");
        assertEquals(List.of(EndpointState.CLOSING, EndpointState.CLOSED), List.of(seen.getFirst(), endpoint.state()));
        progressUntil(() -> pair.server().events().ended(pair.server().endpoint()), "the server to lose its peer");
    }

    @Test
    @Semantics("L-18")
    void shouldMoveStatesDownOnly() {
        Endpoint endpoint = client().connect(server());
        List<EndpointState> seen = new ArrayList<>(List.of(endpoint.state()));
        client().events().also(new EndpointHandler() {
            @Override
            public void connected(Endpoint told) {
                seen.add(told.state());
            }

            @Override
            public void closed(Endpoint told) {
                seen.add(told.state());
            }
        });
        progressUntil(() -> server().events().count(Event.Kind.CONNECTED) == 1, "the server to be connected");
        progressUntil(() -> endpoint.state() == EndpointState.CONNECTED, "the client to be connected");
        endpoint.close();
        assertEquals(List.of(EndpointState.CONNECTING, EndpointState.CONNECTED, EndpointState.CLOSED), seen);
    }

    @Test
    @Semantics("L-19")
    void shouldCloseListenerTwiceAndFreeItsPort() {
        Listener first = listener();
        InetSocketAddress address = first.address();
        first.close();
        first.close();
        Listener second = server().worker().listen(address, server().events());
        assertEquals(address, second.address());
    }

    @Test
    @Semantics("L-20")
    void shouldKeepAcceptedEndpointsWhenListenerCloses() {
        Pair pair = connect();
        listener().close();
        long received = pair.server().receive(buffer(8), 5);
        pair.client().send(pattern(8, 5), 5);
        completeOk(pair.server(), received);
    }

    @Test
    @Semantics("L-21")
    void shouldCloseRegionTwice() {
        MemoryRegion region = client().context().allocate(64, Set.of(AccessRight.READ));
        region.close();
        region.close();
    }

    @Test
    @Semantics("L-22")
    void shouldCloseRegionsWithTheirContext() {
        Context context = openContext(config());
        MemoryRegion region = context.allocate(64, EnumSet.allOf(AccessRight.class));
        MemorySegment segment = region.segment();
        context.close();
        assertFalse(segment.scope().isAlive());
        region.close();
    }

    @Test
    @Semantics("L-40")
    void shouldCloseRegionsAndContextWhileAThreadIsInsideACallOnTheMemory() throws Exception {
        Resources before = Resources.now();
        Context context = openContext(config());
        MemoryRegion closedFirst = context.allocate(64, EnumSet.allOf(AccessRight.class));
        MemoryRegion closedWithContext = context.allocate(64, EnumSet.allOf(AccessRight.class));
        List<MemorySegment> segments = List.of(closedFirst.segment(), closedWithContext.segment());
        List<Pipe> pipes = List.of(Pipe.open(), Pipe.open());
        List<Thread> readers = List.of(
                readerInside(segments.getFirst(), pipes.getFirst()), readerInside(segments.getLast(), pipes.getLast()));
        closedFirst.close();
        closedFirst.close();
        context.close();
        segments.forEach(segment -> assertTrue(segment.scope().isAlive(), "memory was freed under a call"));
        for (Pipe pipe : pipes) {
            pipe.sink().write(ByteBuffer.wrap(new byte[] {1}));
        }
        for (Thread reader : readers) {
            assertTrue(reader.join(Duration.ofSeconds(50)), "the read does not end");
        }
        progressUntil(
                () -> segments.stream().noneMatch(segment -> segment.scope().isAlive()), "the memory to be freed");
        for (Pipe pipe : pipes) {
            pipe.source().close();
            pipe.sink().close();
        }
        Resources.assertNothingSince(before);
    }

    /** A thread that waits inside a read into memory, such as one of the application's own. */
    private static Thread readerInside(MemorySegment memory, Pipe pipe) {
        Thread reader = Thread.ofPlatform().daemon().start(() -> {
            try {
                int _ = pipe.source().read(memory.asByteBuffer());
            } catch (IOException | RuntimeException failure) {
                throw new AssertionError(failure);
            }
        });
        StackTraceElement[] stack = reader.getStackTrace();
        while (stack.length == 0 || !isInsideRead(stack[0])) {
            assertTrue(reader.isAlive(), "the read has ended");
            Thread.yield();
            stack = reader.getStackTrace();
        }
        return reader;
    }

    /** Whether a thread is in the read itself, which has registered its use of the memory; the read makes other native calls first. */
    private static boolean isInsideRead(StackTraceElement top) {
        return top.isNativeMethod() && top.getMethodName().startsWith("read");
    }

    @Test
    @Semantics("L-23")
    void shouldCloseRemoteKeyTwice() {
        Pair pair = connect();
        MemoryRegion region = server().context().allocate(64, EnumSet.allOf(AccessRight.class));
        RemoteKey key = pair.client().unpack(region);
        key.close();
        key.close();
        assertThrows(
                IllegalArgumentException.class,
                () -> pair.client().endpoint().get(buffer(8), 0, 8, key, 0, client().recorder(), 0));
    }

    private static List<Event.Kind> kinds(List<Event> events) {
        return events.stream().map(Event::kind).toList();
    }
}
