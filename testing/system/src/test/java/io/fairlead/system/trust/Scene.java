package io.fairlead.system.trust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A victim, and a friend of it with whom it exchanges messages all the time. Everything runs on the thread of the test, so that progress is made while it waits. */
final class Scene implements AutoCloseable {
    static final String VICTIM = "victim";
    static final String FRIEND = "friend";
    private static final long TAG = 7;
    private static final long WATCHDOG_S = 300;
    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment outgoing = arena.allocate(Long.BYTES);
    private final MemorySegment incoming = arena.allocate(Long.BYTES);
    private final List<Party> parties = new ArrayList<>();
    private final Party victim;
    private final InetSocketAddress address;
    private final Endpoint friendly;
    private long exchanges;
    private long nextExchangeNs = System.nanoTime();
    /** A message has been sent and not arrived; it stays so where it is lost or changed, which the watchdog tells of. */
    private boolean underWay;

    /** Connects the friend, by the listener itself. */
    Scene(FairleadConfig victim, FairleadConfig friend) {
        this(victim, friend, listener -> listener);
    }

    /** A way between two sides. */
    @FunctionalInterface
    interface Way {
        /** Where a connector has to go to get to a listener. */
        InetSocketAddress to(InetSocketAddress listener) throws Exception;
    }

    /** Connects the friend by some way. */
    Scene(FairleadConfig victim, FairleadConfig friend, Way way) {
        this.victim = join(victim);
        address = this.victim.listen();
        Party other = join(friend);
        try {
            friendly = other.connect(way.to(address));
        } catch (Exception failure) {
            throw new AssertionError("the friend finds no way", failure);
        }
        progressUntil(() -> friendly.state() != EndpointState.CONNECTING, "the friend to be connected");
        assertEquals(EndpointState.CONNECTED, friendly.state(), () -> String.valueOf(friendly.failure()));
        progressUntil(() -> this.victim.accepted().size() == 1, "the victim to know its friend");
        exchangeUntil(() -> exchanges >= 10, "the first messages");
    }

    /** Brings another node in. */
    Party join(FairleadConfig config) {
        Party party = new Party(config);
        parties.add(party);
        return party;
    }

    Party victim() {
        return victim;
    }

    /** Where the victim listens. */
    InetSocketAddress address() {
        return address;
    }

    /** Waits for something while the victim and its friend go on: at least one of their messages begins and ends meanwhile, and ten do afterwards. */
    void exchangeUntil(BooleanSupplier condition, String what) {
        long before = exchanges;
        progressUntil(() -> condition.getAsBoolean() && exchanges > before + 1, what);
        long between = exchanges;
        progressUntil(() -> exchanges >= between + 10, "messages of the victim and its friend, after " + what);
        assertEquals(EndpointState.CONNECTED, friendly.state());
        assertEquals(EndpointState.CONNECTED, victim.accepted().getFirst().state());
    }

    private void progressUntil(BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WATCHDOG_S);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - deadline < 0, () -> "waited in vain for " + what);
            int events = 0;
            for (Party party : parties) {
                events += party.worker().progress();
            }
            if (!victim.accepted().isEmpty() && !underWay && System.nanoTime() - nextExchangeNs >= 0) {
                exchange();
                nextExchangeNs = System.nanoTime() + PACE_NS;
            } else if (events == 0) {
                // Other threads do the arithmetic of TLS, and other processes want the processor too.
                victim.worker().await(PACE_NS);
            }
        }
    }

    private void exchange() {
        underWay = true;
        long number = exchanges + 1;
        outgoing.set(ValueLayout.JAVA_LONG, 0, number);
        long received = victim.accepted().getFirst().receive(incoming, TAG, request -> {
            if (request.status() == Status.OK && incoming.get(ValueLayout.JAVA_LONG, 0) == number) {
                exchanges = number;
                underWay = false;
            }
        });
        assertTrue(received >= 0, () -> "receive was not taken: " + received);
        long sent = friendly.send(outgoing, TAG, Completion.IGNORE);
        assertTrue(sent >= 0, () -> "send was not taken: " + sent);
    }

    @Override
    public void close() {
        parties.reversed().forEach(Party::close);
        arena.close();
    }
}
