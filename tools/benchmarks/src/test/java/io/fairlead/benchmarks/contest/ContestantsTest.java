package io.fairlead.benchmarks.contest;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
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
final class ContestantsTest {
    private static final List<Work> BOTH_WAYS =
            List.of(asking(8, 300), asking(65_536, 50), asking(64, 50).withInterval(200_000), asking(1024, 300));
    private static final List<Work> ONE_WAY = List.of(streaming(8, 10_000), streaming(32, 10_000), streaming(8, 1));
    private static final Work LONG = streaming(1 << 20, 20);

    private static Work asking(int size, int count) {
        return Work.numbered(PerfTest.TAG_LAT, size).withCount(count);
    }

    private static Work streaming(int size, int count) {
        return Work.numbered(PerfTest.TAG_BW, size).withCount(count);
    }

    /** All of them asleep when idle, which leaves the processors to others; and those spinning for which that is another code path. */
    static Stream<Arguments> contestants() {
        return Stream.concat(
                Arrays.stream(Contestants.values())
                        .filter(contestant -> contestant.cannot(Idle.BLOCK).isEmpty())
                        .map(contestant -> Arguments.of(contestant, Idle.BLOCK)),
                Stream.of(
                                Contestants.FAIRLEAD_SHM,
                                Contestants.JUCX,
                                Contestants.NETTY_NIO,
                                Contestants.NETTY_EPOLL,
                                Contestants.PUBSUB_SHM)
                        .map(contestant -> Arguments.of(contestant, Idle.SPIN)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("contestants")
    void shouldDoAllWork(Contestants contestant, Idle idle) throws IOException {
        assumeTrue(
                contestant.unavailable().isEmpty(),
                () -> contestant.unavailable().orElse(""));
        try (Pair pair = contestant.start(idle)) {
            if (!contestant.leaderListens()) {
                for (Work work : BOTH_WAYS) {
                    Turn turn = pair.turn(work);
                    assertTrue(
                            turn.perSecond() > 0 && turn.p50Us() > 0 && turn.p50Us() <= turn.p99Us(), turn::toString);
                }
            }
            for (Work work : pair.has(PerfTest.TAG_BW) ? ONE_WAY : List.<Work>of()) {
                assertTrue(pair.turn(work).perSecond() > 0);
            }
            if (pair.has(PerfTest.TAG_BW) && !contestant.leaderListens()) {
                assertTrue(pair.turn(LONG).perSecond() > 0);
            }
        }
    }
}
