package io.fairlead.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.perf.Leader.Percentiles;
import io.fairlead.cli.perf.Leader.Round;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The words of a leading process, as a shell says them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LeaderProcessTest {
    private static final PerfCase CASE = new PerfCase(PerfTest.TAG_LAT, 8, 1);
    private static final String READY = "echo 'perf leader: ready shm over memory'; ";

    private static LeaderProcess start(String script) {
        return new LeaderProcess(
                "other", PerfChild.start("the leading process of other", new ProcessBuilder("sh", "-c", script)));
    }

    /** Answers the next line, whatever it is, with these words, and what the line was. */
    private static String answer(String words) {
        return "read -r line; echo \"perf leader: " + words + "\"; ";
    }

    private static String failure(LeaderProcess leader) {
        return String.valueOf(
                assertThrows(CommandFailure.class, () -> leader.open(CASE)).getMessage());
    }

    @Test
    void shouldReadWhatTheProcessSays() {
        Round round = new Round(0.1, 1.0 / 3, 1e7 / 3, 12);
        Percentiles percentiles = new Percentiles(1, 2.5, 1.0 / 3, 1e-9);
        try (LeaderProcess leader = start("echo words of a library; "
                + READY
                + answer("open true")
                + answer("time")
                + answer("round " + round.format())
                + answer("percentiles " + percentiles.format())
                + answer("end")
                + answer("open false"))) {
            assertEquals("shm over memory", leader.path());
            assertTrue(leader.open(CASE));
            leader.time(4);
            assertEquals(round, leader.round(1));
            assertEquals(percentiles, leader.percentiles());
            leader.end();
            assertFalse(leader.open(CASE));
        }
    }

    @Test
    void shouldSayWhatToDoInWords() {
        String check = "case $line in 'open tag-lat 8 1') echo 'perf leader: open true';; *) echo \"$line\";; esac; ";
        try (LeaderProcess leader = start(READY + "read -r line; " + check)) {
            assertTrue(leader.open(CASE));
        }
    }

    @Test
    void shouldFailWithTheCauseThatTheProcessTells() {
        try (LeaderProcess leader = start(READY + answer("error no answer from the server"))) {
            assertEquals("the leading process of other failed: no answer from the server", failure(leader));
        }
    }

    @Test
    void shouldFailWithTheExitStatusOfAProcessThatDied() {
        try (LeaderProcess leader = start(READY + "read -r line; kill -9 $$")) {
            assertEquals("the leading process of other has ended: status=137", failure(leader));
        }
    }

    @Test
    void shouldRefuseAnswersThatItDoesNotKnow() {
        for (String nonsense : new String[] {"round 1 2 3 4", "open perhaps", "open", "what"}) {
            try (LeaderProcess leader = start(READY + answer(nonsense))) {
                assertTrue(failure(leader).contains("expected=open, answer=" + nonsense + ";"), nonsense);
            }
        }
        try (LeaderProcess leader = start(READY + answer("round 1 2 fast 4") + answer("round 1 2 3"))) {
            assertThrows(CommandFailure.class, () -> leader.round(1));
            assertThrows(CommandFailure.class, () -> leader.round(1));
        }
    }

    @Test
    void shouldFailWhereTheProcessIsNeverReady() {
        CommandFailure failure = assertThrows(CommandFailure.class, () -> start("exit 3"));
        assertEquals("the leading process of other has ended: status=3", failure.getMessage());
    }
}
