package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SoakCommandTest {
    private static final int KILLS = 12;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Test
    void shouldFindNoFault() throws Exception {
        try (CommandRun soak = CommandRun.startWithUcx("soak", "--minutes=0.33", "--transport=shm,tcp,ucx", "--json")) {
            JsonNode reports = JSON.readTree(soak.text());
            soak.assertStatus(0);
            assertEquals(3, reports.size());
            for (JsonNode report : reports) {
                assertTrue(report.get("rounds").asInt() > 0, report::toString);
                assertTrue(report.get("faults").isEmpty(), report::toString);
            }
        }
    }

    @Test
    void shouldRunOneRoundAgain() throws Exception {
        try (CommandRun soak = CommandRun.start("soak", "--seed=7", "--round=3", "--transport=tcp", "--json")) {
            JsonNode report = JSON.readTree(soak.text()).get(0);
            soak.assertStatus(0);
            assertEquals(1, report.get("rounds").asInt());
            assertTrue(report.get("counts").get("messages").get("operations").asLong() > 0, report::toString);
        }
    }

    /** A member that ends although no round has killed it is a fault. */
    @Test
    void shouldReportAMemberThatEnds() throws Exception {
        try (CommandRun soak = CommandRun.start("soak", "--seed=7", "--minutes=0.1", "--transport=tcp")) {
            // Some rounds expect it. A round waits a minute for a member that never comes back.
            for (int kill = 0; kill < KILLS && !endsWithin(soak.handle(), 400); kill++) {
                soak.handle().descendants().forEach(ProcessHandle::destroyForcibly);
            }
            soak.assertStatus(1);
            List<String> lines = soak.text().lines().toList();
            assertTrue(lines.stream().anyMatch(line -> line.startsWith("FAULT in round ")), lines::toString);
        }
    }

    private static boolean endsWithin(ProcessHandle process, long milliseconds) throws Exception {
        try {
            process.onExit().get(milliseconds, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException alive) {
            return false;
        }
    }

    @Test
    void shouldRefuseATransportThatIsNotThere() throws Exception {
        try (CommandRun soak = CommandRun.start("soak", "--transport=pigeon")) {
            soak.assertStatus(2);
        }
    }
}
