package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The workers of a training, each a process of its own. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TrainCommandTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Test
    void shouldEndInThreeProcessesWithTheBitsOfOne() throws Exception {
        try (CommandRun train = CommandRun.start("train", "--workers=3", "--steps=60", "--policy=tcp-only", "--json")) {
            train.assertStatus(0);
            JsonNode report = JSON.readTree(train.text());
            assertTrue(report.get("ok").asBoolean(), report::toString);
            String expected = report.get("singleProcess").get("weightsHash").asString();
            JsonNode run = report.get("runs").get(0);
            assertEquals(1, report.get("runs").size());
            assertEquals(3, run.get("weightsHash").size());
            run.get("weightsHash").forEach(hash -> assertEquals(expected, hash.asString()));
            assertTrue(run.get("stepsPerSecond").asDouble() > 0, run::toString);
            assertEquals(3, run.get("pairs").size());
            for (JsonNode pair : run.get("pairs")) {
                assertEquals("tcp", pair.get("path").get("transport").asString());
                assertEquals((pair.get("from").asInt() + 1) % 3, pair.get("to").asInt());
            }
        }
    }

    @Test
    void shouldTellHowFastItIsOverEachPath() throws Exception {
        try (CommandRun train = CommandRun.startWithUcx("train", "--workers=2", "--steps=20", "--each-path")) {
            train.assertStatus(0);
            List<String> lines = train.text().lines().toList();
            assertTrue(
                    lines.stream()
                            .anyMatch(line -> line.startsWith("tcp ") && line.endsWith("those of the single process")),
                    lines::toString);
            for (String transport : List.of("shm ", "ucx ")) {
                assertTrue(lines.stream().anyMatch(line -> line.startsWith(transport)), lines::toString);
            }
            assertTrue(
                    lines.stream().anyMatch(line -> line.startsWith("worker 1 -> worker 0  tcp over lo")),
                    lines::toString);
            assertTrue(lines.stream().noneMatch(line -> line.contains("DIFFERENT")), lines::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Slurm", "Open MPI", "MPICH"})
    void shouldTakeItsPlaceInARunThatALauncherHasStarted(String launcher) throws Exception {
        int port = freePort();
        String[] arguments = {"train", "--steps=20", "--policy=tcp-only", "--json"};
        try (CommandRun second = CommandRun.start(launched(launcher, 1, port), arguments);
                CommandRun third = CommandRun.start(launched(launcher, 2, port), arguments);
                CommandRun first = CommandRun.start(launched(launcher, 0, port), arguments)) {
            first.assertStatus(0);
            JsonNode report = JSON.readTree(first.text());
            assertTrue(report.get("ok").asBoolean(), report::toString);
            assertEquals(3, report.get("workers").asInt());
            second.assertStatus(0);
            third.assertStatus(0);
        }
    }

    @Test
    void shouldRefuseALaunchThatDoesNotTellEnough() throws Exception {
        try (CommandRun train = CommandRun.start(Map.of("RANK", "1", "WORLD_SIZE", "2"), "train")) {
            train.assertStatus(2);
            assertTrue(
                    train.errors()
                            .getLast()
                            .startsWith("fairlead: torchrun does not tell where process 0 runs: set MASTER_ADDR"),
                    train.errors()::toString);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    /** What the launchers write into the environment of one of three processes on this host. */
    private static Map<String, String> launched(String launcher, int rank, int port) {
        Map<String, String> environment = new HashMap<>(Map.of("MASTER_PORT", String.valueOf(port)));
        environment.putAll(
                switch (launcher) {
                    case "Slurm" ->
                        Map.of(
                                "SLURM_JOB_ID", "4711",
                                "SLURM_STEP_ID", "0",
                                "SLURM_PROCID", String.valueOf(rank),
                                "SLURM_STEP_NUM_TASKS", "3",
                                "SLURM_STEP_NODELIST", "localhost");
                    case "Open MPI" ->
                        Map.of(
                                "OMPI_COMM_WORLD_RANK", String.valueOf(rank),
                                "OMPI_COMM_WORLD_SIZE", "3",
                                "OMPI_COMM_WORLD_LOCAL_SIZE", "3");
                    default -> Map.of("PMI_RANK", String.valueOf(rank), "PMI_SIZE", "3", "MPI_LOCALNRANKS", "3");
                });
        return environment;
    }

    @Test
    void shouldEndTheRunAndNameTheWorkerThatIsKilled() throws Exception {
        try (CommandRun train = CommandRun.start("train", "--workers=3", "--steps=10000000", "--policy=tcp-only")) {
            String processes = train.awaitError("processes: (.*)");
            train.awaitError("step +(\\d+) ");
            List<ProcessHandle> workers = Pattern.compile("is (\\d+)")
                    .matcher(processes)
                    .results()
                    .map(found ->
                            ProcessHandle.of(Long.parseLong(found.group(1))).orElseThrow())
                    .toList();
            assertEquals(3, workers.size());
            workers.get(1).destroyForcibly();
            train.assertStatus(1);
            assertEquals(
                    "fairlead: worker 1 was killed by signal 9", train.errors().getLast());
            for (ProcessHandle worker : workers) {
                worker.onExit().get(60, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void shouldNameWhatIsWrongWithTheCommandLine() throws Exception {
        assertEquals("fairlead: option out of range: --workers=0, 1 to 16; change it", refusal("--workers=0"));
        assertEquals("fairlead: option out of range: --workers=17, 1 to 16; change it", refusal("--workers=17"));
        assertEquals("fairlead: option out of range: --steps=0, 1 to 10000000; change it", refusal("--steps=0"));
        assertEquals(
                "fairlead: options exclude each other: --each-path and --policy; leave one out",
                refusal("--each-path", "--policy=auto"));
    }

    private static String refusal(String... options) throws Exception {
        String[] args = new String[options.length + 1];
        args[0] = "train";
        System.arraycopy(options, 0, args, 1, options.length);
        try (CommandRun run = CommandRun.start(args)) {
            run.assertStatus(2);
            assertEquals(1, run.errors().size(), run.errors()::toString);
            return run.errors().getFirst();
        }
    }
}
