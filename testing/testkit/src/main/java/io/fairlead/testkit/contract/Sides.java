package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.function.Executable;

/**
 * The open sides of a case, and what else it leaves to be closed at its end: drives the workers from the case's thread until something has come true,
 * and closes all of it.
 */
final class Sides {
    /** How long nothing may happen: a loaded machine is slow, and what hangs does nothing. */
    private static final long QUIET_NS =
            Duration.ofSeconds(Long.getLong("fairlead.contract.deadline-s", 60)).toNanos();
    /** The longest wait, whatever happens. It is below the suites' limit of a case, whose failure reports less. */
    private static final long WAIT_NS = Duration.ofSeconds(150).toNanos();

    private static final int IDLE_ROUNDS = 200;
    private static final long PARK_MIN_NS = 50_000;
    /** Waiting for another process, which may have to start first, takes the processor away from it with each look. */
    private static final long PARK_MAX_NS = 3_200_000;

    private static final int ROUNDS_PER_DOUBLING = 50;
    /** Many times as long as a worker may leave its control connections alone while nothing else happens. */
    private static final long IDLE_NS = 5_000_000;

    /** The limit for graceful closes; after it the remaining sides are closed anyway, one after the other. */
    private static final long GOODBYE_NS = 500_000_000;

    private final List<Side> sides = new ArrayList<>();
    private final List<AutoCloseable> closeables = new ArrayList<>();
    private int idleRounds;

    Side add(Side side) {
        sides.add(side);
        side.belongTo(this::progress);
        return side;
    }

    /** Closes something before the sides, what came last first. */
    <T extends AutoCloseable> T closeLater(T closeable) {
        closeables.add(closeable);
        return closeable;
    }

    /** Closes a side, holds it to the rules, and forgets it. */
    void discard(Side side) {
        side.close();
        sides.remove(side);
        side.assertKeptRules();
    }

    int progress() {
        int events = 0;
        for (Side side : sides) {
            events += side.progress();
        }
        return events;
    }

    /** Drives all until something has come true, and fails where a rule is broken on the way. */
    void progressUntil(BooleanSupplier condition, String what) {
        Patience patience = new Patience(what);
        idleRounds = 0;
        while (!condition.getAsBoolean()) {
            patience.look(idle(progress()));
            for (Side side : sides) {
                if (!side.recorder().violations().isEmpty()) {
                    fail("rules broken while waiting for " + what + ": " + side);
                }
            }
        }
    }

    /** Drives one until something has come true, while the others make no progress. */
    void driveUntil(Side side, BooleanSupplier condition, String what) {
        Patience patience = new Patience(what);
        idleRounds = 0;
        while (!condition.getAsBoolean()) {
            patience.look(idle(side.progress()));
        }
    }

    /** Drives all until each has been idle for many rounds in a row. */
    void progressUntilIdle() {
        Patience patience = new Patience("the workers to have nothing to do");
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
            patience.look(idle(events));
        }
    }

    /** How long one wait may go on. */
    private final class Patience {
        private final String what;
        private final long startNs = System.nanoTime();
        private long lastEventNs = startNs;

        Patience(String what) {
            this.what = what;
        }

        void look(int events) {
            long nowNs = System.nanoTime();
            if (events > 0) {
                lastEventNs = nowNs;
            }
            if (nowNs - lastEventNs > QUIET_NS || nowNs - startNs > WAIT_NS) {
                fail("waited " + TimeUnit.NANOSECONDS.toSeconds(nowNs - startNs) + " s, the last "
                        + TimeUnit.NANOSECONDS.toSeconds(nowNs - lastEventNs) + " without an event, for " + what + ": "
                        + sides);
            }
        }
    }

    /** Leaves the processor to other threads when there has been nothing to do for a while; peers may run on them. */
    private int idle(int events) {
        idleRounds = events > 0 ? 0 : idleRounds + 1;
        if (idleRounds > IDLE_ROUNDS) {
            int doublings = (idleRounds - IDLE_ROUNDS) / ROUNDS_PER_DOUBLING;
            LockSupport.parkNanos(Math.min(PARK_MAX_NS, PARK_MIN_NS << Math.min(doublings, 6)));
        } else if (idleRounds > 0) {
            Thread.onSpinWait();
        }
        return events;
    }

    /** Connects one to another, and waits until both know. */
    Pair connect(Side from, Side to) {
        int accepted = to.events().count(Event.Kind.CONNECTED);
        Endpoint endpoint = from.connect(to);
        progressUntil(
                () -> endpoint.state() != EndpointState.CONNECTING
                        && to.events().count(Event.Kind.CONNECTED) > accepted,
                "both ends to be connected");
        assertConnected(endpoint);
        return new Pair(new End(to, to.events().lastConnected()), new End(from, endpoint));
    }

    /** Connects one to a side on another thread, and waits until both know. */
    End connect(Side from, PeerThread to) {
        int accepted = to.call(side -> side.events().count(Event.Kind.CONNECTED));
        Endpoint endpoint = from.connect(to.address());
        progressUntil(() -> endpoint.state() != EndpointState.CONNECTING, "the client to be connected to " + to);
        assertConnected(endpoint);
        progressUntil(
                () -> to.call(side -> side.events().count(Event.Kind.CONNECTED)) > accepted, to + " to be connected");
        return new End(from, endpoint);
    }

    private static void assertConnected(Endpoint endpoint) {
        assertEquals(EndpointState.CONNECTED, endpoint.state(), () -> "not connected: " + endpoint.failure());
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

    /** What closes everything in its order, and holds each side to the rules. */
    List<Executable> closes() {
        List<Executable> closes = new ArrayList<>();
        closes.add(this::sayGoodbye);
        for (AutoCloseable closeable : closeables.reversed()) {
            closes.add(closeable::close);
        }
        for (Side side : sides) {
            closes.add(() -> side.worker().close());
        }
        for (Side side : sides) {
            closes.add(() -> side.context().close());
            closes.add(side::assertKeptRules);
        }
        return closes;
    }
}
