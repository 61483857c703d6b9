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
        int bytes = turns(50, 5);
        assertTrue(bytes > 4_900 && bytes <= 5_000, () -> "bytes=" + bytes);
    }

    @Test
    void shouldReadMoreWhereThePipelineIsFaster() {
        int slow = turns(50, 10);
        assertTrue(turns(50, 1) > 4 * slow);
    }

    @Test
    void shouldKeepToItsLimits() {
        assertEquals(ReadPace.BYTES_MIN, turns(100, 10_000));
        assertEquals(ReadPace.BYTES_MAX, turns(200, 0));
    }

    @Test
    void shouldForgetAnInterruption() {
        int before = turns(50, 1);
        pace.begin();
        nowNs.addAndGet(1_000_000_000);
        pace.end(before);
        int at = pace.begin();
        assertTrue(at >= before / 4 && at < before, () -> "bytes=" + at);
        int after = turns(30, 1);
        assertTrue(after > before / 4 * 3, () -> "bytes=" + after);
    }

    @Test
    void shouldLearnNothingFromATurnThatBroughtNothing() {
        int before = pace.begin();
        nowNs.addAndGet(1_000_000);
        pace.end(0);
        assertEquals(before, pace.begin());
    }

    @Test
    void shouldLetAPipelineThatDoesNotAnswerHaveAll() {
        assertEquals(ReadPace.BYTES_MIN, turns(100, 10_000));
        assertEquals(ReadPace.BYTES_MAX, pace.beginWithoutAnswers());
        nowNs.addAndGet(ReadPace.BYTES_MAX / 100);
        pace.end(ReadPace.BYTES_MAX);
        int bytes = pace.begin();
        assertTrue(bytes > ReadPace.BYTES_MIN, () -> "bytes=" + bytes);
    }
}
