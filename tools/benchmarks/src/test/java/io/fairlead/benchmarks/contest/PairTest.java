package io.fairlead.benchmarks.contest;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.benchmarks.contest.Work.Kind;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** That each contestant does all its work between two processes, whether its threads spin or sleep. How fast anything is, no test asks. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PairTest {
    private static final List<Work> BOTH_WAYS = List.of(
            new Work(Kind.ASK, 8, 300, 0),
            new Work(Kind.ASK, 65_536, 50, 0),
            new Work(Kind.ASK, 64, 50, 200_000),
            new Work(Kind.ASK, 1024, 300, 0));
    private static final List<Work> ONE_WAY = List.of(
            new Work(Kind.STREAM, 8, 10_000, 0), new Work(Kind.STREAM, 32, 10_000, 0), new Work(Kind.STREAM, 8, 1, 0));
    private static final Work LONG = new Work(Kind.STREAM, 1 << 20, 20, 0);

    /** All of them asleep when idle, which leaves the processors to others; and those spinning for which that is another code path. */
    static Stream<Arguments> contestants() {
        return Stream.concat(
                Arrays.stream(Contestant.values())
                        .filter(contestant -> contestant.cannot(Idle.BLOCK).isEmpty())
                        .map(contestant -> Arguments.of(contestant, Idle.BLOCK)),
                Stream.of(
                                Contestant.FAIRLEAD_SHM,
                                Contestant.JUCX,
                                Contestant.NETTY_NIO,
                                Contestant.NETTY_EPOLL,
                                Contestant.PUBSUB_SHM)
                        .map(contestant -> Arguments.of(contestant, Idle.SPIN)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("contestants")
    void shouldDoAllWork(Contestant contestant, Idle idle) throws IOException {
        assumeTrue(
                contestant.unavailable().isEmpty(),
                () -> contestant.unavailable().orElse(""));
        try (Pair pair = Pair.start(contestant, idle)) {
            if (!contestant.leaderListens()) {
                for (Work work : BOTH_WAYS) {
                    Turn turn = pair.turn(work);
                    assertTrue(
                            turn.perSecond() > 0 && turn.p50Us() > 0 && turn.p50Us() <= turn.p99Us(), turn::toString);
                }
                assertTrue(pair.turn(LONG).perSecond() > 0);
            }
            for (Work work : ONE_WAY) {
                assertTrue(pair.turn(work).perSecond() > 0);
            }
        }
    }
}
