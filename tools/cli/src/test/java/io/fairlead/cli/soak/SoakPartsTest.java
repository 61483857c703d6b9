package io.fairlead.cli.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SoakPartsTest {
    @Test
    void shouldDeriveTheSameRoundsFromTheSameSeed() {
        List<String> rounds =
                IntStream.range(0, 200).mapToObj(i -> Round.of(7, i).toString()).toList();
        assertEquals(
                rounds,
                IntStream.range(0, 200).mapToObj(i -> Round.of(7, i).toString()).toList());
        assertNotEquals(
                rounds,
                IntStream.range(0, 200).mapToObj(i -> Round.of(8, i).toString()).toList());
        TreeSet<String> labels = new TreeSet<>();
        IntStream.range(0, 200)
                .forEach(i -> labels.add(Round.of(7, i).scenario().label()));
        assertEquals(new TreeSet<>(List.of("connects", "memory", "messages", "requests", "topics")), labels);
    }

    @Test
    void shouldTellADamagedByteOfAMessage() {
        Numbered numbered = new Numbered(3, 500);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(Numbered.LENGTH_MAX);
            for (int number = 0; number < 500; number++) {
                numbered.fill(segment, number);
                assertTrue(numbered.matches(segment, number));
                int length = numbered.length(number);
                if (length > 0) {
                    long at = length - 1L;
                    segment.set(ValueLayout.JAVA_BYTE, at, (byte) (segment.get(ValueLayout.JAVA_BYTE, at) + 1));
                    assertFalse(numbered.matches(segment, number));
                }
            }
        }
    }

    @Test
    void shouldTellALeakFromNoise() {
        SplittableRandom random = new SplittableRandom(1);
        Trend leak = new Trend();
        Trend noise = new Trend();
        Trend warmUp = new Trend();
        for (int second = 0; second < 60; second++) {
            leak.add(second, 100 + second + random.nextInt(30));
            noise.add(second, 100 + random.nextInt(30));
            warmUp.add(second, Math.min(second, 15) * 1000L + (second == 59 ? 500 : 0));
        }
        assertTrue(leak.growth() > 25 && leak.growth() < 55, () -> "growth=" + leak.growth());
        assertTrue(Math.abs(noise.growth()) < 10, () -> "growth=" + noise.growth());
        assertEquals(0, warmUp.growth());
    }

    @Test
    void shouldFailForAFaultAndForALeak() {
        SoakReport.Held flat = new SoakReport.Held(Holdings.Kind.THREADS, 10, 12, 2);
        SoakReport.Held leak = new SoakReport.Held(Holdings.Kind.DESCRIPTORS, 10, 40, 30);
        SoakReport.Fault fault = new SoakReport.Fault(12, "round 12: topics, none", "lost");
        assertTrue(report(List.of(flat), List.of()).ok());
        assertFalse(report(List.of(flat, leak), List.of()).ok());
        SoakReport failed = report(List.of(flat), List.of(fault));
        assertFalse(failed.ok());
        assertTrue(failed.text().contains("fairlead soak --transport=tcp --seed=5 --round=12"), failed::text);
    }

    private static SoakReport report(List<SoakReport.Held> held, List<SoakReport.Fault> faults) {
        return new SoakReport("tcp", 5, 20, 60, Map.of("topics", new SoakReport.Counts(20, 100, 3)), held, faults);
    }
}
