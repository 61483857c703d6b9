package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** UCX's own log, provoked in processes whose standard output is a document. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class UcxLogTest {
    /** UCX warns of a variable that it does not know. */
    private static final String UNKNOWN = "UCX_NO_SUCH_SETTING";

    @Test
    void shouldWarnOnStandardErrorAndLeaveTheDocumentAlone() throws Exception {
        try (CommandRun demo = demo(Map.of("UCX_LOG_FILE", "stderr", "UCX_LOG_LEVEL", "warn"))) {
            assertDocument(demo);
            List<String> warnings = demo.errors().stream()
                    .filter(line -> line.contains("UCX  WARN") && line.contains(UNKNOWN))
                    .toList();
            assertEquals(4, warnings.size(), () -> "one of each process: " + demo.errors());
        }
    }

    /** UCX tells its version when a context is opened, or warns of it. */
    @Test
    void shouldBeSilentWhereNobodySaidWhereToAndTalkWhereSomebodyDid() throws Exception {
        for (String log : List.of("", "stdout", "stderr")) {
            Map<String, String> environment = environment(Map.of("UCX_LOG_FILE", log, "UCX_LOG_LEVEL", "info"));
            try (CommandRun info = CommandRun.start(environment, "info", "--json")) {
                info.assertStatus(0);
                String document = JsonMapper.shared().readTree(info.text()).toString();
                assumeTrue(!document.contains("libucp.so.0 was not found"), document);
                assertEquals(
                        log.equals("stderr"),
                        info.errors().stream().anyMatch(line -> line.matches(".*UCX  (INFO|WARN) .*")),
                        info.errors()::toString);
            }
        }
    }

    @Test
    void shouldSayNothingAtAStartWhereAllIsWell() throws Exception {
        try (CommandRun info = CommandRun.start(environment(Map.of("UCX_LOG_FILE", "stderr")), "info", "--json")) {
            info.assertStatus(0);
            assertTrue(JsonMapper.shared().readTree(info.text()).isObject());
            assertEquals(List.of(), info.errors());
        }
    }

    /** What UCX finds wrong with a variable it says before there is a context whose level could be set. */
    @Test
    void shouldDoWithoutUcxWhereItRefusesAVariableAndKeepItsWordsOffStandardOutput() throws Exception {
        for (String log : List.of("", "stderr")) {
            Map<String, String> environment = environment(Map.of("UCX_RNDV_THRESH", "nonsense", "UCX_LOG_FILE", log));
            try (CommandRun info = CommandRun.start(environment, "info", "--json")) {
                info.assertStatus(0);
                String document = JsonMapper.shared().readTree(info.text()).toString();
                assumeTrue(!document.contains("libucp.so.0 was not found"), document);
                assertTrue(document.contains("UCX refuses the value of a UCX_ variable in the environment"), document);
                assertEquals(
                        log.equals("stderr"),
                        info.errors().stream()
                                .anyMatch(line -> line.contains("RNDV_THRESH") && line.contains("nonsense")),
                        info.errors()::toString);
            }
        }
    }

    /** A pair that shares memory is told to take TCP: both sides warn, and name what they give up. */
    @Test
    void shouldWarnWherePolicyGivesSharedMemoryUp() throws Exception {
        Map<String, String> environment = environment(Map.of());
        try (CommandRun pub =
                        CommandRun.start(environment, "pub", "typed", "-l", "0", "-v", "-w", "1", "--log-format=json");
                CommandRun sub = CommandRun.start(
                        environment,
                        "sub",
                        "typed",
                        "-v",
                        "--log-format=json",
                        "--policy=tcp-only",
                        "-C",
                        pub.awaitError("topic typed at (\\S+),"))) {
            pub.input().write("one\n".getBytes(StandardCharsets.UTF_8));
            pub.input().close();
            sub.assertStatus(0);
            pub.assertStatus(0);
            LogLine selected = selected(sub);
            for (LogLine line : List.of(selected, selected(pub))) {
                assertEquals("WARN", line.level(), line::toString);
                assertTrue(
                        line.message().matches(".*, although (loopback, )?shm(, ucx)? is here as well: .*"),
                        line::toString);
                assertTrue(line.message().contains("which gives up shared memory by shm"), line::toString);
                assertEquals("tcp", line.mdc("transport"), line::toString);
            }
        }
    }

    private static LogLine selected(CommandRun run) {
        return run.errors().stream()
                .filter(line -> line.startsWith("{"))
                .map(LogLine::parse)
                .filter(line -> line.message().startsWith("selected "))
                .findFirst()
                .orElseThrow(() -> new AssertionError(run.errors().toString()));
    }

    private static CommandRun demo(Map<String, String> variables) throws IOException {
        return CommandRun.start(environment(variables), "demo", "--seconds", "1", "--json");
    }

    private static Map<String, String> environment(Map<String, String> variables) {
        Map<String, String> environment =
                new HashMap<>(Map.of("UCX_ERROR_SIGNALS", "", "UCX_LOG_FILE", "", UNKNOWN, "1"));
        // Without RDMA a process loads UCX only where it is named.
        environment.put("FAIRLEAD_TRANSPORTS", "shm,tcp,ucx");
        environment.putAll(variables);
        return environment;
    }

    private static void assertDocument(CommandRun demo) throws Exception {
        demo.assertStatus(0);
        JsonNode document = JsonMapper.shared().readTree(demo.text());
        assertTrue(document.isObject(), demo::toString);
        assumeTrue(document.toString().contains("\"ucx\""), () -> "UCX is not usable here: " + document);
    }
}
