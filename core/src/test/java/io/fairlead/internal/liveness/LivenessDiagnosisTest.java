package io.fairlead.internal.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.Diagnosis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LivenessDiagnosisTest {
    @Test
    void shouldTellThatLostHostsAreFound() {
        assumeTrue(Files.exists(Path.of("/proc/self/net/tcp")), "no Linux");
        Diagnosis finding = LivenessDiagnosis.of(FairleadConfig.defaults());
        assertEquals(Diagnosis.Level.OK, finding.level(), finding::toString);
        assertTrue(finding.finding().contains("liveness.timeout=2000 ms"), finding::toString);
        assertTrue(finding.finding().contains("stall.timeout=30000 ms"), finding::toString);
    }

    @Test
    void shouldWarnWhereTheKernelCannotBeAsked(@TempDir Path empty) {
        Diagnosis finding = LivenessDiagnosis.of(
                FairleadConfig.defaults().with(ConfigKeys.STALL_TIMEOUT, Duration.ofSeconds(5)),
                new SocketTable(empty));
        assertEquals(Diagnosis.Level.WARNING, finding.level(), finding::toString);
        assertTrue(finding.finding().contains("stall.timeout=5000 ms alone"), finding::toString);
    }

    @Test
    void shouldWarnOfATableWithoutItsConnections(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("tcp"), "  sl  local_address rem_address   st\n");
        Diagnosis finding = LivenessDiagnosis.of(FairleadConfig.defaults(), new SocketTable(folder));
        assertEquals(Diagnosis.Level.WARNING, finding.level(), finding::toString);
    }
}
