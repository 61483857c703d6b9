package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.MessageInfo;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory of a long message is closed while it waits for its receive: the side whose fault that is says so. */
@Timeout(60)
final class ClosedMemoryTest {
    /** More than the C library keeps for itself when it is freed, so that the addresses are gone. */
    private static final long LENGTH = 64 << 20;

    private static final long LENT = 40_000;

    private final FairleadConfig config = new ShmUnderTest().configure(FairleadConfig.defaults());
    private final Failure atSender = new Failure();
    private final List<Status> sent = new ArrayList<>();
    private final List<Status> received = new ArrayList<>();

    /** Keeps why an endpoint failed. */
    private static final class Failure implements EndpointHandler {
        @Nullable FairleadException cause;

        @Override
        public void failed(Endpoint endpoint, FairleadException why) {
            cause = why;
        }
    }

    @Test
    void shouldTellTheSenderThatItClosedTheMemory() {
        assumeTrue(
                new ShmProvider().availability().available(),
                () -> new ShmProvider().availability().toString());
        // The memory goes last, whatever fails.
        try (Arena arena = Arena.ofConfined();
                Context here = Context.open(config);
                Context there = Context.open(config);
                Worker server = here.newWorker();
                Worker client = there.newWorker()) {
            Listener listener =
                    server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE);
            Endpoint careless = client.connect(listener.address(), atSender);
            Endpoint careful = client.connect(listener.address(), EndpointHandler.NONE);
            BooleanSupplier connected =
                    () -> careless.state() == EndpointState.CONNECTED && careful.state() == EndpointState.CONNECTED;
            progressUntil(connected, client, server);
            // Before the other memory is closed, whose addresses it could get.
            MemorySegment room = arena.allocate(LENGTH);
            try (Arena closing = Arena.ofShared()) {
                Completion completion = ended -> sent.add(ended.status());
                assertTrue(careless.send(closing.allocate(LENGTH), 0, LENGTH, 1, completion, 0) > 0);
                // Announced, and nobody receives it yet.
                turn(client, server);
            }
            receive(server, room);
            progressUntil(() -> atSender.cause != null && !received.isEmpty(), client, server);
            assertEquals(Reason.TRANSPORT, atSender.cause.reason());
            assertTrue(
                    atSender.cause
                            .getMessage()
                            .startsWith("memory of an operation was closed before the operation ended"),
                    atSender.cause::getMessage);
            assertEquals(1, sent.size());
            assertEquals(1, received.size());
            assertNotEquals(Status.OK, sent.getFirst());
            assertNotEquals(Status.OK, received.getFirst());

            receive(server, room);
            assertTrue(careful.send(arena.allocate(8), 0, 8, 1, ended -> sent.add(ended.status()), 0) > 0);
            progressUntil(() -> sent.size() == 2 && received.size() == 2, client, server);
            assertEquals(List.of(Status.OK, Status.OK), List.of(sent.getLast(), received.getLast()));
        }
    }

    /** The addresses of short memory stay readable, so that the peer reads whatever is there now. */
    @ParameterizedTest
    @ValueSource(longs = {LENT, 4 * LENT})
    void shouldFailTheEndpointWhoseMessageWasReadAfterItsMemoryWasClosed(long length) {
        assumeTrue(
                new ShmProvider().availability().available(),
                () -> new ShmProvider().availability().toString());
        FairleadConfig lending = config.with(ShmKeys.ONE_COPY, ShmKeys.ALWAYS);
        try (Arena arena = Arena.ofConfined();
                Context here = Context.open(lending);
                Context there = Context.open(lending);
                Worker server = here.newWorker();
                Worker client = there.newWorker()) {
            Listener listener =
                    server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE);
            Endpoint careless = client.connect(listener.address(), atSender);
            progressUntil(() -> careless.state() == EndpointState.CONNECTED, client, server);
            try (Arena closing = Arena.ofShared()) {
                Completion completion = ended -> sent.add(ended.status());
                assertTrue(careless.send(closing.allocate(length), 0, length, 1, completion, 0) > 0);
            }
            receive(server, arena.allocate(length));
            progressUntil(() -> atSender.cause != null && !sent.isEmpty(), client, server);
            assertEquals(Reason.TRANSPORT, atSender.cause.reason());
            assertNotEquals(Status.OK, sent.getFirst());
        }
    }

    @Test
    void shouldEndReceiveWhoseMemoryIsClosedBetweenTheParts() {
        assumeTrue(
                new ShmProvider().availability().available(),
                () -> new ShmProvider().availability().toString());
        int length = 1 << 20;
        FairleadConfig parts = config.with(ShmKeys.ONE_COPY, "never")
                .with(ConfigKeys.CREDIT_BYTES, 4 * length)
                .with(ConfigKeys.EAGER_MAX, length);
        try (Arena arena = Arena.ofConfined();
                Context here = Context.open(parts);
                Context there = Context.open(parts);
                Worker server = here.newWorker();
                Worker client = there.newWorker()) {
            Listener listener =
                    server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE);
            Endpoint endpoint = client.connect(listener.address(), EndpointHandler.NONE);
            progressUntil(() -> endpoint.state() == EndpointState.CONNECTED, client, server);
            assertTrue(endpoint.send(arena.allocate(length), 1, ended -> sent.add(ended.status())) > 0);
            MessageInfo info = server.newMessageInfo();
            progressUntil(() -> server.probe(1, Worker.FULL_TAG_MASK, info), client, server);
            try (Arena closing = Arena.ofShared()) {
                receive(server, closing.allocate(length));
                assertEquals(List.of(), received, "all parts are here");
            }
            progressUntil(() -> !received.isEmpty(), client, server);
            assertNotEquals(Status.OK, received.getFirst());
            progressUntil(() -> !sent.isEmpty(), client, server);
        }
        assertEquals(1, received.size());
    }

    private void receive(Worker worker, MemorySegment room) {
        Completion completion = ended -> received.add(ended.status());
        assertTrue(worker.receive(room, 0, room.byteSize(), 1, Worker.FULL_TAG_MASK, completion, 0) > 0);
    }

    private static void turn(Worker client, Worker server) {
        for (int i = 0; i < 100; i++) {
            client.progress();
            server.progress();
        }
    }

    private static void progressUntil(BooleanSupplier done, Worker client, Worker server) {
        while (!done.getAsBoolean()) {
            client.progress();
            server.progress();
        }
    }
}
