package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Capability;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.Status;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.ChosenTransports;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    private static final int REPETITIONS_DIVISOR =
            Math.max(Integer.getInteger("fairlead.contract.repetitions-divisor", 1), 1);

    @RegisterExtension
    private final RunTransport run = new RunTransport();

    private final Sides sides = new Sides();
    private FairleadConfig config = FairleadConfig.defaults();
    private Arena arena = Arena.ofShared();
    private Resources before = Resources.now();
    private @Nullable Side server;
    private @Nullable Side client;

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
        List<Executable> checks = new ArrayList<>(sides.closes());
        checks.add(() -> arena.close());
        checks.add(() -> Resources.assertNothingSince(before));
        assertAll("after the case", checks);
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
        return sides.add(new Side(name, openContext(config.with(ConfigKeys.NODE_NAME, name))));
    }

    /**
     * Opens a side whose contexts see other providers than the suite's.
     *
     * @param name the name that peers see
     * @param chosen the providers
     * @return the side
     */
    protected final Side newSide(String name, List<TransportProvider> chosen) {
        return sides.add(ChosenTransports.with(
                chosen, () -> new Side(name, Context.open(config.with(ConfigKeys.NODE_NAME, name)))));
    }

    /**
     * Closes a side before the case ends, holds it to the rules, and forgets it.
     *
     * @param side the side
     */
    protected final void discard(Side side) {
        sides.discard(side);
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
        return sides.connect(from, to);
    }

    /**
     * Connects the client to a side on another thread.
     *
     * @param to the thread
     * @return the client's end, connected; the other end is the last that the thread's side was told of
     */
    protected final End connect(PeerThread to) {
        return sides.connect(client(), to);
    }

    /**
     * Calls progress once on the worker of every side that the case opened on this thread.
     *
     * @return how many events were worked on
     */
    protected final int progress() {
        return sides.progress();
    }

    /**
     * Drives every worker until something has come true.
     *
     * @param condition what is waited for
     * @param what the same in words, for the message: "the send to complete"
     * @throws AssertionError if a rule is broken on the way, or the deadline passes
     */
    protected final void progressUntil(BooleanSupplier condition, String what) {
        sides.progressUntil(condition, what);
    }

    /**
     * Drives one worker until something has come true, while the others stand still.
     *
     * @param side the side to drive
     * @param condition what is waited for
     * @param what the same in words
     */
    protected final void driveUntil(Side side, BooleanSupplier condition, String what) {
        sides.driveUntil(side, condition, what);
    }

    /**
     * Drives every worker for a while in which nothing should happen, or whatever happens should not matter: until each has been idle for
     * many rounds in a row.
     */
    protected final void progressUntilIdle() {
        sides.progressUntilIdle();
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
        return sides.closeLater(closeable);
    }
}
