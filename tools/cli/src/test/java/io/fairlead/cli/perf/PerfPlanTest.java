package io.fairlead.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Work;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class PerfPlanTest {
    private static PerfPlan plan(String... arguments) {
        return PerfOptions.plan(List.of(arguments));
    }

    private static int size(String text) {
        return plan("put-bw", "--sizes=" + text).cases().getFirst().size();
    }

    @Test
    void shouldRunEveryTestWhereNoneIsNamed() {
        PerfPlan plan = plan();
        assertEquals(
                PerfTest.names(),
                plan.cases().stream()
                        .map(work -> work.test().label())
                        .distinct()
                        .toList());
        assertEquals(5, plan.rounds().rounds());
        assertEquals(200_000_000, plan.rounds().turnNs());
    }

    @Test
    void shouldTakeSizesAndWindowWhereTheyMeanSomething() {
        PerfPlan plan = plan("tag-lat", "get-bw", "fadd", "--sizes=8,4KiB,1 MiB", "--window=64");
        assertEquals(
                List.of(
                        Work.of(PerfTest.TAG_LAT, 8, 1),
                        Work.of(PerfTest.TAG_LAT, 4096, 1),
                        Work.of(PerfTest.TAG_LAT, 1 << 20, 1),
                        Work.of(PerfTest.GET_BW, 8, 64),
                        Work.of(PerfTest.GET_BW, 4096, 64),
                        Work.of(PerfTest.GET_BW, 1 << 20, 64),
                        Work.of(PerfTest.FADD, 8, 64)),
                plan.cases());
    }

    @Test
    void shouldRefuseAnUnknownTest() {
        assertRefused(List.of("tag-lag"), "tag-lag", "tag-lat");
    }

    @Test
    void shouldRefuseSizesOutOfRange() {
        assertRefused(List.of("--sizes=0"), "--sizes", "0", "1 B to 1 GiB");
        assertRefused(List.of("--sizes=8,2 GiB"), "--sizes", "2 GiB");
        assertRefused(List.of("--sizes=8,,16"), "--sizes");
        assertRefused(List.of("--sizes=eight"), "--sizes", "eight");
        assertRefused(List.of("fadd", "--sizes=16"), "fadd", "--sizes=16", "8 bytes");
        assertEquals(1, size("1"));
        assertEquals(1 << 30, size("1 GiB"));
    }

    @Test
    void shouldRefuseAWindowOutOfRange() {
        assertRefused(List.of("--window=0"), "--window", "0", "1 to 4096");
        assertRefused(List.of("--window=4097"), "--window", "4097");
        assertEquals(4096, plan("put-bw", "--window=4096").cases().getFirst().window());
    }

    @Test
    void shouldRefuseTwoWaysToSayHowLong() {
        assertRefused(List.of("--iterations=100", "--seconds=1"), "--iterations", "--seconds");
    }

    private static void assertRefused(List<String> arguments, String... parts) {
        CommandFailure failure = assertThrows(CommandFailure.class, () -> PerfOptions.plan(arguments));
        assertEquals(CommandFailure.USAGE, failure.status());
        for (String part : parts) {
            assertTrue(failure.getMessage().contains(part), failure::getMessage);
        }
    }
}
