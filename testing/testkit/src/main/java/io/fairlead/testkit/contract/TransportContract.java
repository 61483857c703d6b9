package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Authorizer;
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
 * The base class of every contract suite. A case has two sides, a client and a server, each a context with one worker; the case's thread drives both.
 * When the case ends, the base class closes everything and checks what holds for every case: each operation has completed exactly once, on
 * the owner's thread and never inside its post; handlers were called in order; no operation, descriptor or thread is left.
 *
 * <p>The configured times are such that only the case itself ends an operation: a peer may be silent for a minute, and a close waits for operations in
 * flight no longer than a tenth of a second. Cases about times {@linkplain #configure configure} their own before they open a side.
 *
 * <p>For slow machines, the system property {@code fairlead.contract.deadline-s} sets how many seconds a case waits for anything, and
 * {@code fairlead.contract.repetitions-divisor} divides the number of repetitions in cases that repeat the same check.
 */
@Timeout(180)
public abstract class TransportContract {
    private static final int REPETITIONS_DIVISOR =
            Math.max(Integer.getInteger("fairlead.contract.repetitions-divisor", 1), 1);

    @RegisterExtension
    private final RunTransport run = new RunTransport();

    private final Sides sides = new Sides();
    private FairleadConfig config = FairleadConfig.defaults();
    private Authorizer authorizer = Authorizer.ALL;
    private Arena arena = Arena.ofShared();
    private Resources before = Resources.now();
    private @Nullable ServerProcess serverProcess;
    private @Nullable Side server;
    private @Nullable Side client;

    /** Creates the harness of one case; JUnit does. */
    protected TransportContract() {}

    /**
     * The transport that the suite runs over.
     *
     * @return the transport that the run names, unless a test class overrides this; the same at each call of a case
     * @throws IllegalStateException if the run names none
     */
    protected TransportUnderTest transport() {
        return run.transport();
    }

    /**
     * The providers with which contexts are opened.
     *
     * @return the transport's own, unless a suite overrides this
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
    protected static int repetitions(int usual) {
        return Math.max(usual / REPETITIONS_DIVISOR, 1);
    }

    @BeforeEach
    final void begin() {
        serverProcess = run.hasServersApart() ? ServerProcess.forCase(transport()) : null;
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
        if (serverProcess != null) {
            checks.add(serverProcess::end);
        }
        assertAll("after the case", checks);
        if (serverProcess != null) {
            serverProcess.assumeUsed();
        }
    }

    /**
     * Configures the contexts that are opened from now on.
     *
     * @param <T> the type of its values
     * @param key the key
     * @param value the value
     */
    protected final <T> void configure(ConfigKey<T> key, T value) {
        config = config.with(key, value);
    }

    /** Replaces the configuration of the contexts that are opened from now on. */
    final void reconfigure(FairleadConfig changed) {
        config = changed;
    }

    /**
     * Has an authorizer decide what the peers of contexts may do that are opened from now on.
     *
     * @param chosen {@link Authorizer#ALL}: nobody decides
     */
    protected final void authorize(Authorizer chosen) {
        authorizer = chosen;
    }

    /**
     * A policy that no path of the suite's transport satisfies.
     *
     * @return a policy that names no transport
     */
    protected final PathPolicy unsatisfiedPolicy() {
        return transport().pathClass() == PathClass.TCP ? PathPolicy.REQUIRE_RDMA : PathPolicy.TCP_ONLY;
    }

    /**
     * The configuration of the contexts that are opened from now on.
     *
     * @return the suite's configuration with the keys that were configured so far
     */
    protected final FairleadConfig config() {
        return config;
    }

    /**
     * Opens a context with this suite's providers. The caller closes it, or passes it to {@link #closeLater}.
     *
     * @param chosen the context's configuration
     * @return the context
     */
    protected final Context openContext(FairleadConfig chosen) {
        return ChosenTransports.with(providers(), () -> Context.open(chosen, authorizer));
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
     * Opens a side with other providers than the suite's.
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
     * Closes a side before the case ends, and checks it as the end of a case does.
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
        return closeLater(new PeerThread(name, () -> new Side(name, openContext(chosen))));
    }

    /**
     * Opens another worker of a side's context on a thread of its own.
     *
     * @param name its name in messages; peers see the context's
     * @param other the side
     * @return the thread, running
     */
    final PeerThread newPeerThread(String name, Side other) {
        return closeLater(new PeerThread(name, () -> Side.sharing(name, other.context())));
    }

    /**
     * Opens another worker of a side's context on this thread.
     *
     * @param name its name in messages; peers see the context's
     * @param other the side
     * @return the new side, driven and closed as the others are
     */
    final Side newSide(String name, Side other) {
        return sides.add(Side.sharing(name, other.context()));
    }

    /**
     * The side that listens, opened by the first call.
     *
     * @return the server
     */
    protected final Side server() {
        if (server == null) {
            server = serverProcess == null
                    ? newSide("server")
                    : sides.add(new Side("server", serverProcess.open(config.with(ConfigKeys.NODE_NAME, "server"))));
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
     * The server's listener on a free port of 127.0.0.1, made by the first call.
     *
     * @return the listener
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
     * @return the client's end, connected; the other end is the {@link Events#lastConnected()} of the thread's side
     */
    protected final End connect(PeerThread to) {
        return sides.connect(client(), to);
    }

    /**
     * Calls progress once on the worker of every side that the case has opened on this thread.
     *
     * @return how many events were handled
     */
    protected final int progress() {
        return sides.progress();
    }

    /**
     * Drives every worker until a condition is true.
     *
     * @param condition the condition
     * @param what the condition in words, for the message: "the send to complete"
     * @throws AssertionError if a rule is broken on the way, or the deadline passes
     */
    protected final void progressUntil(BooleanSupplier condition, String what) {
        sides.progressUntil(condition, what);
    }

    /**
     * Drives one worker until a condition is true, while the others make no progress.
     *
     * @param side the side to drive
     * @param condition the condition
     * @param what the condition in words
     */
    protected final void driveUntil(Side side, BooleanSupplier condition, String what) {
        sides.driveUntil(side, condition, what);
    }

    /**
     * Drives every worker until each has been idle for many rounds in a row.
     */
    protected final void progressUntilIdle() {
        sides.progressUntilIdle();
    }

    /**
     * Drives every worker until an operation has completed.
     *
     * @param side the side that posted it
     * @param id its request id
     * @return the outcome
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
     * @return the outcome
     */
    protected final Outcome complete(End end, long id) {
        return complete(end.side(), id);
    }

    /**
     * Drives every worker until an operation has completed, and checks that its status is {@code OK}.
     *
     * @param end the end that posted it
     * @param id its request id
     * @return the outcome
     */
    protected final Outcome completeOk(End end, long id) {
        Outcome outcome = complete(end, id);
        assertEquals(Status.OK, outcome.status(), () -> outcome + ", " + end.side());
        return outcome;
    }

    /**
     * Drives every worker until every operation that the recorder of a side knows has completed.
     *
     * @param side the side
     */
    protected final void completeAll(Side side) {
        progressUntil(() -> side.recorder().outstanding() == 0, "all operations of " + side.name() + " to complete");
    }

    /**
     * Skips the case if the transport lacks a capability.
     *
     * @param capabilities the capabilities that the case needs
     */
    protected final void requires(Capability... capabilities) {
        for (Capability capability : capabilities) {
            assumeTrue(
                    transport().capabilities().contains(capability),
                    () -> transport().name() + " declares no " + capability);
        }
    }

    /**
     * Checks that the message of a failure contains a text, such as the name of what failed.
     *
     * @param expected the text
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
     * @return memory filled with zeroes, aligned to 8 bytes, accessible from any thread
     */
    protected final MemorySegment buffer(long length) {
        if (serverProcess != null) {
            return serverProcess.buffer(length);
        }
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
     * Registers an object to be closed when the case ends, before the sides. Objects are closed in reverse order of registration.
     *
     * @param <T> the type of the object
     * @param closeable the object
     * @return the same object
     */
    protected final <T extends AutoCloseable> T closeLater(T closeable) {
        return sides.closeLater(closeable);
    }
}
