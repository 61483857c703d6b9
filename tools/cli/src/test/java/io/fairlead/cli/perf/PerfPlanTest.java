package io.fairlead.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Work;
import io.fairlead.cli.perf.PerfPlan.Request;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class PerfPlanTest {
    private static final Request NOTHING = new Request(
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false);

    private static Request request(List<String> tests, String sizes, String window) {
        return new Request(
                tests,
                Optional.of(sizes),
                Optional.of(window),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false);
    }

    @Test
    void shouldRunEveryTestWhereNoneIsNamed() {
        PerfPlan plan = PerfPlan.of(NOTHING);
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
        PerfPlan plan = PerfPlan.of(request(List.of("tag-lat", "get-bw", "fadd"), "8,4KiB,1 MiB", "64"));
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
        assertRefused(request(List.of("tag-lag"), "8", "1"), "tag-lag", "tag-lat");
    }

    @Test
    void shouldRefuseSizesOutOfRange() {
        assertRefused(request(List.of(), "0", "1"), "--sizes", "0", "1 B to 1 GiB");
        assertRefused(request(List.of(), "8,2 GiB", "1"), "--sizes", "2 GiB");
        assertRefused(request(List.of(), "8,,16", "1"), "--sizes");
        assertRefused(request(List.of(), "eight", "1"), "--sizes", "eight");
        assertRefused(request(List.of("fadd"), "16", "1"), "fadd", "--sizes=16", "8 bytes");
        assertEquals(
                1,
                PerfPlan.of(request(List.of("put-bw"), "1", "1"))
                        .cases()
                        .getFirst()
                        .size());
        assertEquals(
                1 << 30,
                PerfPlan.of(request(List.of("put-bw"), "1 GiB", "1"))
                        .cases()
                        .getFirst()
                        .size());
    }

    @Test
    void shouldRefuseAWindowOutOfRange() {
        assertRefused(request(List.of(), "8", "0"), "--window", "0", "1 to 4096");
        assertRefused(request(List.of(), "8", "4097"), "--window", "4097");
        assertEquals(
                4096,
                PerfPlan.of(request(List.of("put-bw"), "8", "4096"))
                        .cases()
                        .getFirst()
                        .window());
    }

    @Test
    void shouldRefuseTwoWaysToSayHowLong() {
        Request both = new Request(
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of("100"),
                Optional.empty(),
                Optional.of(1.0),
                false);
        assertRefused(both, "--iterations", "--seconds");
    }

    @Test
    void shouldRefuseSecondsOutOfRange() {
        for (double seconds : new double[] {0, -1, Double.NaN, 3601}) {
            Request request = new Request(
                    List.of(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(seconds),
                    false);
            assertRefused(request, "--seconds=" + seconds, "3600");
        }
    }

    private static void assertRefused(Request request, String... parts) {
        CommandFailure failure = assertThrows(CommandFailure.class, () -> PerfPlan.of(request));
        assertEquals(CommandFailure.USAGE, failure.status());
        for (String part : parts) {
            assertTrue(failure.getMessage().contains(part), failure::getMessage);
        }
    }
}
