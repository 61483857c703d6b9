package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Capability;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.Status;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.TransportProvider;
import io.fairlead.statistics.Counter;
import io.fairlead.testkit.ChosenTransports;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;

/**
 * The harness of every contract suite. A case gets two contexts with a worker each, the server with a listener, all driven from the
 * case's thread; when it ends, everything is closed and held to what is true of every case: each operation completed exactly
 * once, on its thread, never inline; handlers were called in order; no operation, descriptor or thread is left.
 *
 * <p>Times are set so that nothing but the case itself ends an operation: a peer may be silent for a minute, and a close waits for
 * what is in flight no longer than a tenth of a second. Cases that are about times {@linkplain #configure set} their own before
 * they open a side.
 *
 * <p>For slow machines {@code -Dfairlead.contract.deadline-s} is how long a case waits for anything, and
 * {@code -Dfairlead.contract.repetitions-divisor} makes cases repeat less often what proves the same each time.
 */
@Timeout(180)
public abstract class TransportContract {
    private static final Duration DEADLINE = Duration.ofSeconds(Long.getLong("fairlead.contract.deadline-s", 60));
    private static final int REPETITIONS_DIVISOR =
            Math.max(Integer.getInteger("fairlead.contract.repetitions-divisor", 1), 1);
    private static final int IDLE_ROUNDS = 200;
    private static final long PARK_MIN_NS = 50_000;
    /** Waiting for another process, which may have to start first, takes the processor away from it with each look. */
    private static final long PARK_MAX_NS = 3_200_000;

    private static final int ROUNDS_PER_DOUBLING = 50;
    /** Many times as long as a worker may leave its control connections alone while nothing else happens. */
    private static final long IDLE_NS = 5_000_000;

    /** What does not say goodbye in this time is closed all the same, one after the other. */
    private static final long GOODBYE_NS = 500_000_000;

    @RegisterExtension
    private final RunTransport run = new RunTransport();

    private final List<Side> sides = new ArrayList<>();
    private final List<AutoCloseable> closeables = new ArrayList<>();
    private FairleadConfig config = FairleadConfig.defaults();
    private Arena arena = Arena.ofShared();
    private Resources before = Resources.now();
    private @Nullable Side server;
    private @Nullable Side client;
    private int idleRounds;

    /** Creates the harness of one case; JUnit does. */
    protected TransportContract() {}

    /**
     * The transport that the suite runs over.
     *
     * @return the one that the run names, unless a test class brings its own; the same at each call of a case
     * @throws IllegalStateException if nothing names one
     */
    protected TransportUnderTest transport() {
        return run.transport();
    }

    /**
     * The providers that contexts are opened with.
     *
     * @return the transport's own, unless a suite decorates it
     */
    protected List<TransportProvider> providers() {
        return List.of(transport().provider());
    }

    /**
     * How often a case is to do what proves the same each time, here.
     *
     * @param usual how often elsewhere
     * @return at least 1
     */
    static int repetitions(int usual) {
        return Math.max(usual / REPETITIONS_DIVISOR, 1);
    }

    @BeforeEach
    final void begin() {
        before = Resources.now();
        config = transport()
                .configure(FairleadConfig.defaults()
                        .with(ConfigKeys.TRANSPORTS, transport().name())
                        .with(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(30))
                        .with(ConfigKeys.HELLO_TIMEOUT, Duration.ofSeconds(30))
                        .with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofSeconds(60))
                        .with(ConfigKeys.CLOSE_TIMEOUT, Duration.ofMillis(100)));
    }

    @AfterEach
    final void end() {
        List<Executable> checks = new ArrayList<>();
        checks.add(this::sayGoodbye);
        for (AutoCloseable closeable : closeables.reversed()) {
            checks.add(closeable::close);
        }
        for (Side side : sides) {
            checks.add(() -> side.worker().close());
        }
        for (Side side : sides) {
            checks.add(() -> side.context().close());
            checks.add(() -> assertKeptRules(side));
        }
        checks.add(() -> arena.close());
        checks.add(this::assertNothingLeft);
        assertAll("after the case", checks);
    }

    /**
     * Closes the endpoints of all sides together. A worker that is closed waits for its peers to hang up, and those on the same thread
     * cannot while it does.
     */
    private void sayGoodbye() {
        List<Endpoint> closing = new ArrayList<>();
        for (Side side : sides) {
            closing.addAll(side.startCloses());
        }
        long deadline = System.nanoTime() + GOODBYE_NS;
        idleRounds = 0;
        while (closing.stream().anyMatch(endpoint -> endpoint.state() == EndpointState.CLOSING)
                && System.nanoTime() - deadline < 0) {
            int events = 0;
            for (Side side : sides) {
                events += side.isOpen() ? side.progress() : 0;
            }
            idle(events);
        }
    }

    static void assertKeptRules(Side side) {
        assertEquals(List.of(), side.recorder().violations(), () -> "rules broken: " + side);
        assertEquals(0, side.recorder().outstanding(), () -> "never completed: " + side);
        for (Event event : side.events().all()) {
            if (!side.events().ended(event.endpoint())) {
                fail("handler was never told of the endpoint's end: endpoint="
                        + event.endpoint().id() + ", " + side);
            }
        }
        assertEquals(0, side.worker().counters().value(Counter.OPERATIONS_IN_FLIGHT), "operations in flight: " + side);
    }

    private void assertNothingLeft() {
        // A dying thread and a descriptor closed by another thread take moments to go.
        long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        Resources after = Resources.now();
        while (!after.withinThoseOf(before)) {
            if (System.nanoTime() > deadline) {
                fail("left behind: " + after.beyond(before));
            }
            LockSupport.parkNanos(1_000_000);
            after = Resources.now();
        }
    }

    /**
     * Sets a key for the contexts that are opened from now on.
     *
     * @param <T> the type of its values
     * @param key the key
     * @param value the value
     */
    protected final <T> void configure(ConfigKey<T> key, T value) {
        config = config.with(key, value);
    }

    /**
     * A policy that no path of the suite's transport satisfies.
     *
     * @return one that does not name a transport
     */
    protected final PathPolicy unsatisfiedPolicy() {
        return transport().pathClass() == PathClass.TCP ? PathPolicy.REQUIRE_RDMA : PathPolicy.TCP_ONLY;
    }

    /**
     * The configuration of the contexts that are opened from now on.
     *
     * @return the configuration as set so far
     */
    protected final FairleadConfig config() {
        return config;
    }

    /**
     * Opens a context with this suite's providers. The caller closes it, or leaves that to {@link #closeLater}.
     *
     * @param chosen its configuration
     * @return the context
     */
    protected final Context openContext(FairleadConfig chosen) {
        return ChosenTransports.with(providers(), () -> Context.open(chosen));
    }

    /**
     * Opens another side, which {@link #progress()} drives and the end of the case closes.
     *
     * @param name the name that peers see
     * @return the side
     */
    protected final Side newSide(String name) {
        Side side = new Side(name, openContext(config.with(ConfigKeys.NODE_NAME, name)));
        sides.add(side);
        return side;
    }

    /**
     * Opens a side whose contexts see other providers than the suite's.
     *
     * @param name the name that peers see
     * @param chosen the providers
     * @return the side
     */
    protected final Side newSide(String name, List<TransportProvider> chosen) {
        Side side = ChosenTransports.with(
                chosen, () -> new Side(name, Context.open(config.with(ConfigKeys.NODE_NAME, name))));
        sides.add(side);
        return side;
    }

    /**
     * Closes a side before the case ends, holds it to the rules, and forgets it.
     *
     * @param side the side
     */
    protected final void discard(Side side) {
        side.close();
        sides.remove(side);
        assertKeptRules(side);
    }

    /**
     * Opens a side on a thread of its own, which makes progress there until the case ends.
     *
     * @param name the name that peers see
     * @return the thread, running
     */
    protected final PeerThread newPeerThread(String name) {
        FairleadConfig chosen = config.with(ConfigKeys.NODE_NAME, name);
        return closeLater(new PeerThread(name, () -> openContext(chosen)));
    }

    /**
     * The side that listens, opened by the first call.
     *
     * @return the server
     */
    protected final Side server() {
        if (server == null) {
            server = newSide("server");
        }
        return server;
    }

    /**
     * The side that connects, opened by the first call.
     *
     * @return the client
     */
    protected final Side client() {
        if (client == null) {
            client = newSide("client");
        }
        return client;
    }

    /**
     * The server's listener, made by the first call.
     *
     * @return on a free port of 127.0.0.1
     */
    protected final Listener listener() {
        return server().listener();
    }

    /**
     * Connects the client to the server. Each call makes another pair on the same two workers.
     *
     * @return the pair, connected
     */
    protected final Pair connect() {
        return connect(client(), server());
    }

    /**
     * Connects one side to another.
     *
     * @param from the side that connects
     * @param to the side that listens
     * @return the pair, connected
     */
    protected final Pair connect(Side from, Side to) {
        int accepted = to.events().count(Event.Kind.CONNECTED);
        Endpoint endpoint = from.connect(to);
        progressUntil(
                () -> endpoint.state() != EndpointState.CONNECTING
                        && to.events().count(Event.Kind.CONNECTED) > accepted,
                "both ends to be connected");
        assertEquals(EndpointState.CONNECTED, endpoint.state(), () -> "not connected: " + endpoint.failure());
        return new Pair(new End(to, to.events().lastConnected()), new End(from, endpoint));
    }

    /**
     * Connects the client to a side on another thread.
     *
     * @param to the thread
     * @return the client's end, connected; the other end is the last that the thread's side was told of
     */
    protected final End connect(PeerThread to) {
        int accepted = to.call(side -> side.events().count(Event.Kind.CONNECTED));
        Endpoint endpoint = client().connect(to.address());
        progressUntil(() -> endpoint.state() != EndpointState.CONNECTING, "the client to be connected to " + to);
        assertEquals(EndpointState.CONNECTED, endpoint.state(), () -> "not connected: " + endpoint.failure());
        progressUntil(
                () -> to.call(side -> side.events().count(Event.Kind.CONNECTED)) > accepted, to + " to be connected");
        return new End(client(), endpoint);
    }

    /**
     * Calls progress once on the worker of every side that the case opened on this thread.
     *
     * @return how many events were worked on
     */
    protected final int progress() {
        int events = 0;
        for (Side side : sides) {
            events += side.progress();
        }
        return events;
    }

    /**
     * Drives every worker until something has come true.
     *
     * @param condition what is waited for
     * @param what the same in words, for the message: "the send to complete"
     * @throws AssertionError if a rule is broken on the way, or the deadline passes
     */
    protected final void progressUntil(BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        idleRounds = 0;
        while (!condition.getAsBoolean()) {
            idle(progress());
            for (Side side : sides) {
                if (!side.recorder().violations().isEmpty()) {
                    fail("rules broken while waiting for " + what + ": " + side);
                }
            }
            if (System.nanoTime() > deadline) {
                fail("waited " + DEADLINE.toSeconds() + " s for " + what + ": " + sides);
            }
        }
    }

    /**
     * Drives one worker until something has come true, while the others stand still.
     *
     * @param side the side to drive
     * @param condition what is waited for
     * @param what the same in words
     */
    protected final void driveUntil(Side side, BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        idleRounds = 0;
        while (!condition.getAsBoolean()) {
            idle(side.progress());
            if (System.nanoTime() > deadline) {
                fail("waited " + DEADLINE.toSeconds() + " s for " + what + ": " + sides);
            }
        }
    }

    /**
     * Drives every worker for a while in which nothing should happen, or whatever happens should not matter: until each has been idle for
     * many rounds in a row.
     */
    protected final void progressUntilIdle() {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        idleRounds = 0;
        int quiet = 0;
        long quietSinceNs = System.nanoTime();
        while (quiet < IDLE_ROUNDS || System.nanoTime() - quietSinceNs < IDLE_NS) {
            int events = progress();
            if (events > 0) {
                quiet = 0;
                quietSinceNs = System.nanoTime();
            } else {
                quiet++;
            }
            idle(events);
            if (System.nanoTime() > deadline) {
                fail("waited " + DEADLINE.toSeconds() + " s for the workers to have nothing to do: " + sides);
            }
        }
    }

    /** Leaves the processor to other threads when there has been nothing to do for a while; peers may run on them. */
    private void idle(int events) {
        idleRounds = events > 0 ? 0 : idleRounds + 1;
        if (idleRounds > IDLE_ROUNDS) {
            int doublings = (idleRounds - IDLE_ROUNDS) / ROUNDS_PER_DOUBLING;
            LockSupport.parkNanos(Math.min(PARK_MAX_NS, PARK_MIN_NS << Math.min(doublings, 6)));
        } else if (idleRounds > 0) {
            Thread.onSpinWait();
        }
    }

    /**
     * Drives every worker until an operation has completed.
     *
     * @param side the side that posted it
     * @param id its request id
     * @return how it completed
     */
    protected final Outcome complete(Side side, long id) {
        progressUntil(() -> side.recorder().has(id), side.name() + "'s operation " + id + " to complete");
        return side.recorder().outcome(id);
    }

    /**
     * Drives every worker until an operation has completed.
     *
     * @param end the end that posted it
     * @param id its request id
     * @return how it completed
     */
    protected final Outcome complete(End end, long id) {
        return complete(end.side(), id);
    }

    /**
     * Drives every worker until an operation has completed, and expects it to have gone well.
     *
     * @param end the end that posted it
     * @param id its request id
     * @return how it completed
     */
    protected final Outcome completeOk(End end, long id) {
        Outcome outcome = complete(end, id);
        assertEquals(Status.OK, outcome.status(), () -> outcome + ", " + end.side());
        return outcome;
    }

    /**
     * Drives every worker until nothing registered with the recorder of a side is in flight.
     *
     * @param side the side
     */
    protected final void completeAll(Side side) {
        progressUntil(() -> side.recorder().outstanding() == 0, "all operations of " + side.name() + " to complete");
    }

    /**
     * Skips the case where the transport lacks something.
     *
     * @param capabilities what the case needs
     */
    protected final void requires(Capability... capabilities) {
        for (Capability capability : capabilities) {
            assumeTrue(
                    transport().capabilities().contains(capability),
                    () -> transport().name() + " declares no " + capability);
        }
    }

    /**
     * Expects a failure to name something: its message is for people, who must find what it is about.
     *
     * @param expected what the message must contain
     * @param failure the failure
     */
    protected static void assertMentions(String expected, Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        if (!message.contains(expected)) {
            fail("expected a message that names \"" + expected + "\": " + message, failure);
        }
        if (message.lines().count() != 1) {
            fail("expected a message of one line: " + message, failure);
        }
    }

    /**
     * Native memory that lives until the end of the case, after every worker is closed.
     *
     * @param length bytes
     * @return zero-filled, aligned to 8 bytes, accessible from any thread
     */
    protected final MemorySegment buffer(long length) {
        return arena.allocate(Math.max(length, 1), 8).asSlice(0, length);
    }

    /**
     * Native memory with a pattern in it.
     *
     * @param length bytes
     * @param seed the pattern's seed
     * @return as {@link #buffer(long)}
     */
    protected final MemorySegment pattern(long length, long seed) {
        MemorySegment buffer = buffer(length);
        Pattern.fill(buffer, 0, length, seed);
        return buffer;
    }

    /**
     * Closes something when the case ends, before the sides. What was registered last is closed first.
     *
     * @param <T> its type
     * @param closeable the thing
     * @return the same
     */
    protected final <T extends AutoCloseable> T closeLater(T closeable) {
        closeables.add(closeable);
        return closeable;
    }
}
