package io.fairlead.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReadPaceTest {
    private final AtomicLong nowNs = new AtomicLong(-5);
    private final ReadPace pace = new ReadPace(nowNs::get);

    /** Turns whose pipeline takes so long for each byte; what the last was to read. */
    private int turns(int count, long nsPerByte) {
        int bytes = pace.begin();
        for (int i = 0; i < count; i++) {
            bytes = pace.begin();
            nowNs.addAndGet(bytes * nsPerByte);
            pace.end(bytes);
        }
        return pace.begin();
    }

    @Test
    void shouldReadAsMuchAsThePipelineWorksOnForATurn() {
        int bytes = turns(50, 10);
        assertTrue(bytes > 2_400 && bytes <= 2_500, () -> "bytes=" + bytes);
    }

    @Test
    void shouldReadMoreWhereThePipelineIsFaster() {
        int slow = turns(50, 20);
        assertTrue(turns(50, 2) > 4 * slow);
    }

    @Test
    void shouldKeepToItsLimits() {
        assertEquals(ReadPace.BYTES_MIN, turns(100, 10_000));
        assertEquals(ReadPace.BYTES_MAX, turns(200, 0));
    }

    @Test
    void shouldForgetAnInterruption() {
        int before = turns(50, 10);
        nowNs.addAndGet(pace.begin());
        nowNs.addAndGet(1_000_000_000);
        pace.end(before);
        assertTrue(pace.begin() >= before / 16, () -> "bytes=" + pace.begin());
        int after = turns(30, 10);
        assertTrue(after > before / 2, () -> "bytes=" + after);
    }

    @Test
    void shouldLearnNothingFromATurnThatBroughtNothing() {
        int before = pace.begin();
        nowNs.addAndGet(1_000_000);
        pace.end(0);
        assertEquals(before, pace.begin());
    }
}
