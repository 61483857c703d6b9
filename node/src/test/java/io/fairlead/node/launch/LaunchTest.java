package io.fairlead.node.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LaunchTest {
    @Test
    void shouldBeEmptyWithoutALauncher() {
        assertEquals(Optional.empty(), Launch.of(Map.of("PATH", "/bin", "RANK", "")));
        // A batch script of Slurm's, which is no step.
        assertEquals(
                Optional.empty(),
                Launch.of(Map.of("SLURM_PROCID", "0", "SLURM_JOB_ID", "7", "SLURM_JOB_NODELIST", "n[1-2]")));
    }

    @Test
    void shouldReadAStepOfSlurm() {
        Launch launch = launched(
                "SLURM_PROCID",
                "3",
                "SLURM_STEP_NUM_TASKS",
                "8",
                "SLURM_STEP_NODELIST",
                "gpu[01-03,07],login1",
                "SLURM_JOB_ID",
                "4711",
                "SLURM_STEP_ID",
                "0");
        assertEquals("Slurm", launch.launcher());
        assertEquals(3, launch.rank());
        assertEquals(8, launch.size());
        assertEquals("gpu01", launch.host());
        assertTrue(launch.port() >= 20_000 && launch.port() < 30_000, launch::toString);
    }

    @Test
    void shouldGiveTheProcessesOfAStepOnePort() {
        Launch first = launched(
                "SLURM_PROCID", "0", "SLURM_STEP_NUM_TASKS", "2", "SLURM_STEP_NODELIST", "a,b", "SLURM_JOB_ID", "5");
        Launch second = launched(
                "SLURM_PROCID", "1", "SLURM_STEP_NUM_TASKS", "2", "SLURM_STEP_NODELIST", "a,b", "SLURM_JOB_ID", "5");
        assertTrue(first.isFirst());
        assertEquals(first.address(), second.address());
    }

    @Test
    void shouldReadOpenMpiBeforeTheSlurmThatStartedIt() {
        Launch launch = launched(
                "OMPI_COMM_WORLD_RANK",
                "1",
                "OMPI_COMM_WORLD_SIZE",
                "4",
                "OMPI_COMM_WORLD_LOCAL_SIZE",
                "2",
                "SLURM_PROCID",
                "0",
                "SLURM_STEP_NUM_TASKS",
                "2",
                "SLURM_JOB_NODELIST",
                "n[9-10]");
        assertEquals("Open MPI", launch.launcher());
        assertEquals(1, launch.rank());
        assertEquals("n9", launch.host());
    }

    @Test
    void shouldFindThatAllProcessesAreOfThisHost() {
        assertEquals(
                "127.0.0.1",
                launched("OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE", "2", "OMPI_COMM_WORLD_LOCAL_SIZE", "2")
                        .host());
        assertEquals(
                "127.0.0.1",
                launched("PMI_RANK", "1", "PMI_SIZE", "2", "MPI_LOCALNRANKS", "2")
                        .host());
    }

    @Test
    void shouldReadAnIndexedJobOfKubernetes() {
        Launch launch = launched(
                "JOB_COMPLETION_INDEX",
                "2",
                "WORLD_SIZE",
                "3",
                "HOSTNAME",
                "train-2",
                "MASTER_SUBDOMAIN",
                "train",
                "MASTER_PORT",
                "7400");
        assertEquals("Kubernetes", launch.launcher());
        assertEquals("train-0.train", launch.host());
        assertEquals(7400, launch.port());
    }

    @Test
    void shouldTakeTheHostThatIsSet() {
        Launch launch = launched("RANK", "0", "WORLD_SIZE", "1", "MASTER_ADDR", "10.0.0.7", "MASTER_PORT", "29500");
        assertEquals(new Launch("torchrun", 0, 1, "10.0.0.7", 29500), launch);
    }

    @Test
    void shouldNameTheVariableThatIsMissing() {
        assertFails("WORLD_SIZE is not set", "JOB_COMPLETION_INDEX", "0", "HOSTNAME", "train-0");
        assertFails("set MASTER_ADDR", "RANK", "0", "WORLD_SIZE", "2");
        assertFails("set MASTER_ADDR", "PMI_RANK", "0", "PMI_SIZE", "2", "MPI_LOCALNRANKS", "1");
    }

    @ParameterizedTest
    @CsvSource({
        "RANK,2",
        "RANK,-1",
        "RANK,one",
        "WORLD_SIZE,0",
        "WORLD_SIZE,99999999",
        "MASTER_PORT,65536",
        "MASTER_PORT,0"
    })
    void shouldNameTheVariableThatIsOutOfRange(String name, String value) {
        Map<String, String> environment =
                new HashMap<>(Map.of("RANK", "0", "WORLD_SIZE", "2", "MASTER_ADDR", "h", "MASTER_PORT", "1"));
        environment.put(name, value);
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> Launch.of(environment));
        assertTrue(
                String.valueOf(refused.getMessage()).contains(name + "='" + value + "', allowed "), refused::toString);
    }

    @ParameterizedTest
    @CsvSource(
            value = {"n[;n[", "n[];n[]", "n[a-b];n[a-b]", ",a;,a", "a b;a b"},
            delimiter = ';')
    void shouldRefuseAListThatIsNone(String list, String printed) {
        assertFails(
                "SLURM_STEP_NODELIST='" + printed + "'",
                "SLURM_PROCID",
                "0",
                "SLURM_STEP_NUM_TASKS",
                "1",
                "SLURM_STEP_NODELIST",
                list);
    }

    @ParameterizedTest
    @CsvSource(
            value = {"a;a", "a,b;a", "n[7];n7", "r[1-2]n[03-04];r1n03", "n[01-03,07]-ib;n01-ib"},
            delimiter = ';')
    void shouldTakeTheFirstOfAList(String list, String first) {
        assertEquals(
                first,
                launched("SLURM_PROCID", "0", "SLURM_STEP_NUM_TASKS", "1", "SLURM_STEP_NODELIST", list)
                        .host());
    }

    private static Launch launched(String... pairs) {
        return Launch.of(environment(pairs)).orElseThrow();
    }

    private static void assertFails(String part, String... pairs) {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> Launch.of(environment(pairs)));
        assertTrue(String.valueOf(refused.getMessage()).contains(part), refused::toString);
    }

    private static Map<String, String> environment(String... pairs) {
        Map<String, String> environment = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            environment.put(pairs[i], pairs[i + 1]);
        }
        return environment;
    }
}
