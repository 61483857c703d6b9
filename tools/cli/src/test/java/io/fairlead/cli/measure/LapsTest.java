package io.fairlead.cli.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class LapsTest {
    private static final Work BATCHES = Work.of(PerfTest.TAG_LAT, 8, 1).withBatch(4);

    @Test
    void shouldRecordOneTimePerBatch() {
        Laps laps = new Laps();
        laps.reset(BATCHES);
        laps.start();
        for (int i = 0; i < 3; i++) {
            laps.lap();
        }
        assertEquals(0, laps.percentileUs(50), "three operations of a batch of four are no time yet");
        laps.lap();
        laps.stop();
        assertTrue(laps.percentileUs(50) > 0);
    }

    @Test
    void shouldForgetTheTurnBefore() {
        Laps laps = new Laps();
        laps.record(1000);
        assertEquals(1, laps.percentileUs(100), 0.01);
        laps.reset(BATCHES);
        assertEquals(0, laps.percentileUs(100));
    }

    @Test
    void shouldTimeNoOperationOfARate() {
        Laps laps = new Laps();
        laps.reset(Work.of(PerfTest.PUT_BW, 8, 32));
        laps.start();
        laps.lap();
        laps.stop();
        assertEquals(0, laps.percentileUs(100));
    }

    @Test
    void shouldDivideWhatWasAllocatedByOperationsOfEitherSide() {
        Laps laps = new Laps();
        Work work = Work.of(PerfTest.TAG_LAT, 8, 1).withCount(10);
        laps.reset(work);
        laps.start();
        laps.stop();
        assertEquals(5, Turn.of(work, laps, 100).allocated());
    }

    @Test
    void shouldFindTheCompilersOfThisProcess() {
        assumeTrue(Files.exists(Path.of("/proc/self/schedstat")), "this kernel does not count");
        Jvm.awaitCompilers();
        assertTrue(Jvm.compilersNs() > 0, "no thread of this process is a compiler that has run");
    }
}
