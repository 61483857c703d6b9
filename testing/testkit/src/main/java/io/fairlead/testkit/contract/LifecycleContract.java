package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Completion;
import io.fairlead.ConnectionRequest;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.PathPolicy;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.WorkerTask;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Contexts and workers: opening, closing, threads that ended. */
public class LifecycleContract extends TransportContract {
    /** Creates the suite. */
    protected LifecycleContract() {}

    /** A worker whose thread has ended. */
    private volatile @Nullable Worker abandoned;

    @Test
    @Semantics("L-01")
    void shouldCloseContextTwice() {
        Context context = openContext(config());
        context.close();
        context.close();
        assertThrows(IllegalStateException.class, context::newWorker);
    }

    @Test
    @Semantics("L-02")
    void shouldRefuseToCloseContextWithOpenWorker() {
        try (Context context = openContext(config())) {
            try (Worker worker = context.newWorker()) {
                assertThrows(IllegalStateException.class, context::close);
                worker.progress();
                context.allocate(8, Set.of(AccessRight.READ)).close();
            }
        }
    }

    @Test
    @Semantics("L-03")
    void shouldRefuseNewWorkersAndRegionsOnClosedContext() {
        MemorySegment segment = buffer(64);
        Context context = openContext(config());
        context.close();
        assertThrows(IllegalStateException.class, context::newWorker);
        assertThrows(IllegalStateException.class, () -> context.allocate(8, Set.of(AccessRight.READ)));
        assertThrows(IllegalStateException.class, () -> context.register(segment, Set.of(AccessRight.READ)));
    }

    @Test
    @Semantics("L-04")
    void shouldGiveEachContextAnIncarnationOfItsOwn() {
        long server = server().context().incarnation();
        assertNotEquals(0, server);
        assertNotEquals(server, client().context().incarnation());
        assertEquals(server, server().context().incarnation());
    }

    @Test
    @Semantics("L-05")
    void shouldTellTheConfigurationThatAContextWasOpenedWith() {
        configure(ConfigKeys.OPERATIONS_MAX, 77);
        assertEquals(77, client().context().config().value(ConfigKeys.OPERATIONS_MAX));
    }

    @Test
    @Semantics("L-06")
    void shouldRefuseConfiguredTransportThatIsMissing() {
        configure(ConfigKeys.TRANSPORTS, transport().name() + ",no-such-transport");
        FairleadException failure = assertThrows(FairleadException.class, () -> openContext(config()));
        assertEquals(FairleadException.Reason.CONFIGURATION, failure.reason());
        assertMentions("no-such-transport", failure);
    }

    @Test
    @Semantics("L-33")
    void shouldOpenWithCreditsOfTwiceTheLongestEagerMessage() {
        configure(ConfigKeys.EAGER_MAX, 64 << 10);
        configure(ConfigKeys.CREDIT_BYTES, 2 * (64 << 10) - 1);
        FairleadException failure = assertThrows(FairleadException.class, () -> openContext(config()));
        assertEquals(FairleadException.Reason.CONFIGURATION, failure.reason());
        assertMentions("endpoint.credit-bytes", failure);
        assertMentions("endpoint.eager-max", failure);
        configure(ConfigKeys.CREDIT_BYTES, 2 * (64 << 10));
        Pair pair = connect();
        MemorySegment target = buffer(64 << 10);
        for (int i = 0; i < 8; i++) {
            MemorySegment message = pattern(64 << 10, i);
            int tag = i;
            progressUntil(
                    () -> {
                        long posted = pair.client().endpoint().send(message, tag, client().recorder());
                        if (posted != Endpoint.BACK_PRESSURE) {
                            pair.client().posted(posted);
                        }
                        return posted > 0;
                    },
                    "credits for message " + i);
            completeOk(pair.server(), pair.server().receive(target, i));
            Pattern.verify(target, 0, 64 << 10, i);
        }
    }

    @Test
    @Semantics("L-07")
    void shouldCloseWorkerTwice() {
        Worker worker = client().worker();
        worker.close();
        worker.close();
    }

    @Test
    @Semantics("L-08")
    void shouldRefuseUseOfClosedWorker() {
        MemorySegment buffer = buffer(8);
        InetSocketAddress address = listener().address();
        try (Context context = openContext(config())) {
            Worker worker = context.newWorker();
            worker.close();
            assertThrows(IllegalStateException.class, worker::progress);
            assertThrows(IllegalStateException.class, () -> worker.await(0));
            assertThrows(IllegalStateException.class, () -> worker.connect(address, EndpointHandler.NONE));
            assertThrows(IllegalStateException.class, () -> worker.listen(address, EndpointHandler.NONE));
            assertThrows(IllegalStateException.class, () -> worker.receive(buffer, 0, 8, 1, 1, client().recorder(), 0));
        }
    }

    @Test
    @Semantics("L-36")
    void shouldBeginNothingWhileItCloses() {
        InetSocketAddress address = listener().address();
        InetSocketAddress anyPort = new InetSocketAddress(address.getAddress(), 0);
        Pair first = connect();
        connect();
        Worker worker = client().worker();
        List<Endpoint> begun = new ArrayList<>();
        List<Throwable> refusals = new ArrayList<>();
        Runnable begin = () -> {
            refusals.add(refusal(() -> begun.add(client().connect(address))));
            refusals.add(refusal(() -> begun.add(client().connect(server(), PathPolicy.AUTO))));
            refusals.add(refusal(() -> worker.listen(anyPort, EndpointHandler.NONE)));
            refusals.add(refusal(() -> worker.listen(anyPort, ConnectionRequest::reject)));
        };
        worker.attach(new WorkerTask() {
            @Override
            public int run() {
                return 0;
            }

            @Override
            public void workerCloses() {
                begin.run();
            }
        });
        client().receive(buffer(8), 7, Worker.FULL_TAG_MASK, completed -> {
            client().recorder().completed(completed);
            begin.run();
        });
        client().events().also(new EndpointHandler() {
            @Override
            public void closed(Endpoint endpoint) {
                begin.run();
            }
        });
        discard(client());
        assertEquals(EndpointState.CLOSED, first.client().endpoint().state());
        assertEquals(List.of(), begun, "connections that nothing ends");
        assertEquals(16, refusals.size(), "of a task, a completion and two handlers");
        refusals.forEach(refusal -> assertInstanceOf(IllegalStateException.class, refusal));
    }

    /** What a call throws; none: a failure that says so. */
    private static Throwable refusal(Runnable call) {
        try {
            call.run();
            return new AssertionError("it was not refused");
        } catch (RuntimeException refused) {
            return refused;
        }
    }

    /** As of a client that connects again, and keeps its one-sided operations going. */
    @Test
    @Semantics("L-37")
    void shouldCloseThoughHandlersConnectAgainAndCompletionsPostMore() {
        requires(Capability.PUT);
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(1));
        MemoryRegion region = server().context().allocate(64, EnumSet.allOf(AccessRight.class));
        InetSocketAddress address = listener().address();
        MemorySegment source = buffer(8);
        Worker worker = client().worker();
        List<Endpoint> endpoints = new ArrayList<>();
        Completion.Immediate[] again = new Completion.Immediate[1];
        client().events().also(new EndpointHandler() {
            @Override
            public void connected(Endpoint endpoint) {
                RemoteKey key = endpoint.unpack(region.packedKey());
                again[0] = completed -> {
                    long _ = endpoint.put(source, 0, 8, key, 0, again[0], 0);
                };
                for (int i = 0; i < 4; i++) {
                    long _ = endpoint.put(source, 0, 8, key, 0, again[0], 0);
                }
            }

            @Override
            public void closed(Endpoint endpoint) {
                endpoints.add(client().connect(address));
            }
        });
        endpoints.add(client().connect(address));
        progressUntil(() -> endpoints.getFirst().state() == EndpointState.CONNECTED, "the client to be connected");
        discard(client());
        assertEquals(1, endpoints.size(), "connections that were made while the worker closed");
        assertEquals(EndpointState.CLOSED, endpoints.getFirst().state());
        assertEquals(0, worker.counters().value(Counter.OPERATIONS_IN_FLIGHT));
    }

    @Test
    @Semantics("L-09")
    void shouldSayGoodbyeForEachEndpointOfClosedWorker() {
        Pair first = connect();
        Pair second = connect();
        client().worker().close();
        driveUntil(
                server(),
                () -> server().events().ended(first.server().endpoint())
                        && server().events().ended(second.server().endpoint()),
                "the server to see both goodbyes");
        assertEquals(EndpointState.CLOSED, first.server().endpoint().state());
        assertEquals(EndpointState.CLOSED, second.server().endpoint().state());
        assertEquals(EndpointState.CLOSED, first.client().endpoint().state());
    }

    @Test
    @Semantics("L-10")
    void shouldCancelReceivesFromAnySourceWhenWorkerCloses() {
        Pair pair = connect();
        long id = client().receive(buffer(8), 7, Worker.FULL_TAG_MASK);
        pair.client().worker().close();
        assertEquals(Status.CANCELLED, client().recorder().outcome(id).status());
    }

    @Test
    @Semantics("L-11")
    void shouldStopListeningWhenWorkerCloses() {
        InetSocketAddress address = listener().address();
        server().worker().close();
        Endpoint endpoint = client().connect(address);
        driveUntil(client(), () -> client().events().ended(endpoint), "the client to be refused");
        assertEquals(EndpointState.FAILED, endpoint.state());
    }

    @Test
    @Semantics({"L-02", "L-41"})
    void shouldCloseTheWorkerOfAThreadThatHasEndedWithItsContext() {
        closeWorkerOfEndedThread(Context::close);
    }

    @Test
    @Semantics("L-41")
    void shouldCloseTheWorkerOfAThreadThatHasEndedOnAnyThread() {
        closeWorkerOfEndedThread(context -> {
            abandoned().close();
            abandoned().close();
            context.close();
        });
    }

    private Worker abandoned() {
        return Objects.requireNonNull(abandoned, "abandoned");
    }

    private void closeWorkerOfEndedThread(Consumer<Context> close) {
        InetSocketAddress address = listener().address();
        MemorySegment buffer = buffer(64);
        Context context = openContext(config());
        List<Status> completed = new CopyOnWriteArrayList<>();
        List<Endpoint> closed = new CopyOnWriteArrayList<>();
        AtomicReference<Endpoint> connected = new AtomicReference<>();
        AtomicReference<Listener> listening = new AtomicReference<>();
        List<Boolean> inside = new CopyOnWriteArrayList<>();
        Thread owner = Thread.ofPlatform().start(() -> {
            Worker worker = context.newWorker();
            abandoned = worker;
            listening.set(worker.listen(new InetSocketAddress(address.getAddress(), 0), EndpointHandler.NONE));
            Endpoint endpoint = worker.connect(address, new EndpointHandler() {
                @Override
                public void closed(Endpoint ended) {
                    closed.add(ended);
                    inside.add(ended.worker().isInsideProgress());
                }
            });
            long deadline = System.nanoTime() + Duration.ofSeconds(50).toNanos();
            while (endpoint.state() == EndpointState.CONNECTING && System.nanoTime() - deadline < 0) {
                worker.progress();
                Thread.yield();
            }
            connected.set(endpoint);
            long _ = worker.receive(
                    buffer,
                    0,
                    8,
                    1,
                    1,
                    done -> {
                        completed.add(done.status());
                        inside.add(worker.isInsideProgress());
                    },
                    0);
            long _ = endpoint.receive(buffer, 8, 8, 1, 1, done -> completed.add(done.status()), 0);
            long _ = endpoint.send(buffer, 16, 8, 1, done -> completed.add(done.status()), 0);
            long _ = endpoint.sendSynchronous(buffer, 24, 8, 1, done -> completed.add(done.status()), 0);
        });
        progressUntil(
                () -> !owner.isAlive() && server().events().count(Event.Kind.CONNECTED) == 1,
                "the thread to connect and to end");
        assertThrows(WrongThreadException.class, abandoned()::progress);
        Endpoint accepted = server().events().lastConnected();
        close.accept(context);
        Endpoint ended = Objects.requireNonNull(connected.get());
        assertEquals(EndpointState.CLOSED, ended.state());
        assertEquals(List.of(ended), closed, "endpoints whose handler was told");
        assertEquals(4, completed.size(), () -> "each operation completes once: " + completed);
        assertEquals(List.of(true, true), inside, "told inside of progress");
        assertEquals(0, abandoned().counters().value(Counter.OPERATIONS_IN_FLIGHT));
        assertThrows(IllegalStateException.class, context::newWorker);
        progressUntil(() -> server().events().ended(accepted), "the peer to lose the connection");
        server().worker()
                .listen(Objects.requireNonNull(listening.get()).address(), EndpointHandler.NONE)
                .close();
    }

    @Test
    @Semantics("L-27")
    void shouldConnectTwoWorkersOfOneContext() {
        Context context = server().context();
        try (Worker other = context.newWorker()) {
            Endpoint endpoint = other.connect(listener().address(), EndpointHandler.NONE);
            progressUntil(
                    () -> {
                        other.progress();
                        return endpoint.state() != EndpointState.CONNECTING
                                && server().events().count(Event.Kind.CONNECTED) == 1;
                    },
                    "two workers of one context to be connected");
            assertEquals(
                    EndpointState.CONNECTED,
                    endpoint.state(),
                    () -> endpoint.failure().toString());
            assertEquals(context.incarnation(), endpoint.peerIncarnation());
        }
    }

    @Test
    @Semantics("L-28")
    void shouldConnectWorkerToItself() {
        Pair pair = connect(server(), server());
        progressUntil(() -> server().events().count(Event.Kind.CONNECTED) == 2, "both ends to be connected");
        MemorySegment target = buffer(16);
        End client = pair.client();
        Endpoint accepted = server().events().all().stream()
                .map(Event::endpoint)
                .filter(endpoint -> !endpoint.equals(client.endpoint()))
                .findFirst()
                .orElseThrow();
        long received = server().recorder()
                .posted(accepted, accepted.receive(target, 0, 16, 9, Worker.FULL_TAG_MASK, server().recorder(), 0));
        client.send(pattern(16, 9), 9);
        assertEquals(Status.OK, complete(server(), received).status());
        Pattern.verify(target, 0, 16, 9);
    }
}
