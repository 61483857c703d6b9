package io.fairlead.testkit.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The verdict on what a guest left. */
@Timeout(60)
final class GuestOutcomeTest {
    private static final List<Packets> CROSSED =
            List.of(new Packets("rxe0", 300, 300, 300), new Packets("rxe1", 300, 300, 300));

    @TempDir
    private Path folder;

    @Test
    void shouldReadWhatTheGuestLeft() throws IOException {
        Files.writeString(folder.resolve("status"), "0\n");
        Files.writeString(
                folder.resolve("counters"),
                "rxe0 sent=300 received=300 frames=300\nrxe1 sent=300 received=300 frames=300\n");
        Files.writeString(
                folder.resolve("results.txt"),
                "FaultContract 17 0 1 2 4000 17.2\nnot a result\nNodeCloseContract 0 1 0 0 0 0\n");
        assertEquals(
                new GuestOutcome(
                        "0",
                        CROSSED,
                        List.of(
                                new SuiteResult("FaultContract", 17, 0, 1, 2, 4000, 17.2),
                                new SuiteResult("NodeCloseContract", 0, 1, 0, 0, 0, 0))),
                GuestOutcome.read(folder));
    }

    @Test
    void shouldTellThatAGuestDidNotComeToItsEnd() throws IOException {
        GuestOutcome outcome = GuestOutcome.read(folder);
        assertEquals(new GuestOutcome(GuestOutcome.NONE, List.of(), List.of()), outcome);
        assertFalse(outcome.passed(0, RoceSuite.CONTRACT));
        assertFalse(outcome.idle(RoceSuite.CONTRACT));
    }

    @Test
    void shouldPassOnlyIfNothingFailedAndPacketsCrossed() {
        assertTrue(new GuestOutcome("0", CROSSED, List.of(suite(0))).passed(300, RoceSuite.CONTRACT));
        assertTrue(new GuestOutcome("0", CROSSED, List.of()).passed(300, RoceSuite.CONTRACT));
        assertFalse(new GuestOutcome("1", CROSSED, List.of(suite(0))).passed(300, RoceSuite.CONTRACT));
        assertFalse(new GuestOutcome("0", CROSSED, List.of(suite(0), suite(1))).passed(300, RoceSuite.CONTRACT));
        assertFalse(new GuestOutcome("0", CROSSED, List.of(suite(0))).passed(301, RoceSuite.CONTRACT));
    }

    @Test
    void shouldAskNoPacketsOfAGuestThatFoundNoClassLeft() {
        List<Packets> none = List.of(new Packets("rxe0", 0, 0, 12), new Packets("rxe1", 0, 0, 12));
        assertTrue(new GuestOutcome("0", none, List.of()).idle(RoceSuite.CONTRACT));
        assertTrue(new GuestOutcome("0", none, List.of()).idle(RoceSuite.SECURE));
        assertFalse(new GuestOutcome("0", CROSSED, List.of()).idle(RoceSuite.SECURE));
        assertFalse(new GuestOutcome("0", List.of(), List.of()).idle(RoceSuite.DEMO));
        assertFalse(new GuestOutcome("1", List.of(), List.of()).idle(RoceSuite.CONTRACT));
        assertFalse(new GuestOutcome("0", List.of(), List.of(suite(0))).idle(RoceSuite.CONTRACT));
    }

    @Test
    void shouldAddUpTheClasses() {
        assertEquals(
                "2 suites, 20 cases passed, 1 failed, 2 skipped, 4 left out",
                SuiteResult.totals(List.of(suite(0), suite(1))));
    }

    @Test
    void shouldWriteWhatSeveralGuestsDidAsOne() throws IOException {
        Path first = Files.createDirectory(folder.resolve("first"));
        Path second = Files.createDirectory(folder.resolve("second"));
        Files.writeString(first.resolve("results.txt"), "# UCX 1.13.1\nB 1 0 0 0 10 1.5\n");
        Files.writeString(second.resolve("results.txt"), "# UCX 1.13.1\nA 2 0 0 0 20 2.5\n");
        Path target = folder.resolve("target");
        SuiteResult.write(target, List.of(first, second), "guests=2");
        assertEquals(
                List.of("# UCX 1.13.1, guests=2", "A 2 0 0 0 20 2.5", "B 1 0 0 0 10 1.5"), Files.readAllLines(target));
    }

    @Test
    void shouldWriteThatGuestsDidNothing() throws IOException {
        Path target = folder.resolve("target");
        SuiteResult.write(target, List.of(folder), "guests=1");
        assertEquals(List.of("# guests=1"), Files.readAllLines(target));
    }

    private static SuiteResult suite(long failed) {
        return new SuiteResult("FaultContract", 10, failed, 1, 2, 100, 1.5);
    }
}
