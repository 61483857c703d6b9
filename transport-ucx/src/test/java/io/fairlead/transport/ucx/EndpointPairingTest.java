package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.FairleadException.Reason;
import io.fairlead.testkit.internal.RawHost;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The side that leads says which of its endpoints it has made, and the other goes by that. */
@Timeout(60)
final class EndpointPairingTest {
    private static final int TURNS = 2000;

    private RawNode follower;
    private RawNode leader;
    private int ends;

    @BeforeEach
    void open() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().toString());
        follower = new RawNode();
        leader = RawNode.leading(follower);
    }

    @AfterEach
    void close() {
        if (leader != null) {
            leader.close();
            follower.close();
        }
    }

    /** The two ends of a connection. */
    private final class Both implements AutoCloseable {
        final RawHost leadingHost;
        final RawHost followingHost;
        final UcxEndpoint leading;
        final UcxEndpoint following;
        private final Set<UcxEndpoint> open;

        Both() {
            int here = ++ends;
            int there = 100 + here;
            leadingHost = new RawHost(here, there, here % 2 == 0);
            followingHost = new RawHost(there, here, here % 2 != 0);
            leading = leader.connect(leadingHost, follower.worker.address());
            following = follower.connect(followingHost, leader.worker.address());
            open = new HashSet<>(List.of(leading, following));
        }

        boolean ready() {
            return leading.isReady() && following.isReady();
        }

        /** The leader asks by an endpoint that is not the matching's. */
        void lie(long number) {
            try (Arena arena = Arena.ofConfined()) {
                TransportMessage request = new MessagePool(arena).take();
                WireUpSeal seal = new WireUpSeal(leadingHost, leader.address(), follower.address(), 0);
                request.request(seal.own(TransportMessage.WIRE_UP_REQUEST, number), number);
                // So short a message has left when this returns.
                leader.send(
                        leader.endpoint(follower),
                        request.memory,
                        request.length,
                        TransportMessage.tag(TransportMessage.WIRE_UP_REQUEST, leadingHost.sourceId()));
            }
        }

        void close(UcxEndpoint end) {
            if (open.remove(end)) {
                end.close();
            }
        }

        @Override
        public void close() {
            close(leading);
            close(following);
            progressUntil(() -> false);
        }
    }

    @Test
    void shouldMakeOneEndpointAfterTheOther() {
        try (Both first = new Both();
                Both second = new Both()) {
            second.following.begin();
            second.leading.begin();
            first.leading.begin();
            first.following.begin();
            assertTrue(second.leading.state().isMade());
            assertFalse(first.leading.state().isMade(), "made before the peer has made the one before it");
            progressUntil(() -> first.ready() && second.ready());
            assertTrue(first.ready() && second.ready());
        }
    }

    @Test
    void shouldGoOnBehindAnEndpointThatNobodyAnswers() {
        try (Both first = new Both();
                Both second = new Both();
                Both third = new Both()) {
            first.close(first.following);
            first.leading.begin();
            second.leading.begin();
            third.leading.begin();
            progressUntil(() -> false);
            assertFalse(second.leading.state().isMade());
            first.close(first.leading);
            progressUntil(() -> second.ready() && third.ready());
            assertTrue(second.ready() && third.ready());
        }
    }

    @Test
    void shouldRefuseANumberThatIsTaken() {
        try (Both first = new Both();
                Both second = new Both()) {
            first.leading.begin();
            progressUntil(first::ready);
            second.lie(0);
            progressUntil(() -> second.followingHost.failure != null);
            assertRefused(second, Reason.PEER_LOST, "number=0, made=1");
            assertNull(first.followingHost.failure);
        }
    }

    @Test
    void shouldRefuseANumberThatIsFarAhead() {
        try (Both first = new Both()) {
            first.lie(Long.MAX_VALUE);
            progressUntil(() -> first.followingHost.failure != null);
            assertRefused(
                    first,
                    Reason.TRANSPORT,
                    "in vain: endpoint=" + first.followingHost.label() + ", number=" + Long.MAX_VALUE + ", made=1024");
        }
    }

    @Test
    void shouldMakeFewEndpointsInVainInOneTurn() {
        try (Both first = new Both();
                Both second = new Both()) {
            first.lie(300);
            int before = 0;
            for (int turn = 0; turn < TURNS && !first.following.state().isMade(); turn++) {
                int events = leader.worker.progress() + follower.worker.progress();
                assertTrue(events >= 0);
                int now = abandoned();
                assertTrue(now - before <= 16, "made in one turn: " + (now - before));
                before = now;
            }
            assertTrue(first.following.state().isMade(), "its turn has come");
            assertNull(first.followingHost.failure);
            // The matching goes on behind it.
            second.lie(301);
            progressUntil(() -> second.following.state().isMade());
            assertTrue(second.following.state().isMade());
        }
    }

    /** A UCX with assertions ends the process in the follower's close if its answers have no room in the queue of the leader, which is gone. */
    @Test
    void shouldSurviveALeaderThatClosesManyHalfMadeEndpoints() {
        List<Both> many = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Both next = new Both();
            many.add(next);
            next.leading.begin();
            next.close(next.leading);
            int _ = follower.worker.progress();
        }
        leader.close();
        leader = null;
        many.forEach(each -> each.close(each.following));
        follower.close();
    }

    @Test
    void shouldGoOnBehindManyHalfMadeEndpointsThatAreClosed() {
        List<Both> many = new ArrayList<>();
        for (int i = 0; i < 2 * EndpointPairing.PLACEHOLDERS_MAX; i++) {
            many.add(new Both());
        }
        try (Both last = new Both()) {
            many.forEach(each -> each.leading.begin());
            last.leading.begin();
            many.forEach(each -> each.close(each.leading));
            assertFalse(last.leading.state().isMade(), "made while the peer has its answers to give");
            assertFalse(leader.worker.arm(), "sleeps while an endpoint waits for its turn");
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (!last.ready() && System.nanoTime() - deadlineNs < 0) {
                progressUntil(last::ready);
            }
            assertTrue(last.ready());
        }
        many.forEach(each -> each.close(each.following));
    }

    @Test
    void shouldForgetAnEndpointThatClosesBeforeItsTurn() {
        try (Both first = new Both()) {
            first.lie(300);
            progressUntil(() -> abandoned() > 0);
            assertTrue(abandoned() < 300);
            first.close(first.following);
            assertTrue(follower.worker.parts().wireUps().queue().isEmpty());
            progressUntil(() -> false);
        }
    }

    @Test
    void shouldForgetWorkersForWhichUcxHasMadeNothing() {
        try (Both first = new Both()) {
            assertEquals(1, matchings(follower));
            first.close(first.following);
            assertEquals(0, matchings(follower));
        }
        try (Both second = new Both()) {
            second.leading.begin();
            progressUntil(second::ready);
            second.close(second.following);
            second.close(second.leading);
            assertEquals(1, matchings(follower), "UCX counts on");
            assertEquals(1, matchings(leader), "UCX counts on");
        }
    }

    @Test
    void shouldRefuseANumberThatThereIsNot() {
        try (Both first = new Both()) {
            first.lie(-1);
            progressUntil(() -> first.followingHost.failure != null);
            assertRefused(first, Reason.PEER_LOST, "number=-1, made=0");
        }
    }

    private int abandoned() {
        return follower.worker.parts().wireUps().abandoned().size();
    }

    private static int matchings(RawNode node) {
        return node.worker.parts().wireUps().pairings().size();
    }

    private static void assertRefused(Both both, Reason reason, String message) {
        assertNotNull(both.followingHost.failure, "the follower has noticed nothing");
        assertEquals(reason, both.followingHost.failure.reason());
        assertTrue(
                String.valueOf(both.followingHost.failure.getMessage()).contains(message),
                () -> String.valueOf(both.followingHost.failure.getMessage()));
    }

    private void progressUntil(BooleanSupplier condition) {
        int idle = 0;
        while (!condition.getAsBoolean() && idle < TURNS) {
            int events = leader.worker.progress() + follower.worker.progress();
            idle = events > 0 ? 0 : idle + 1;
        }
    }
}
