package io.fairlead.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CompilersTest {
    @Test
    void shouldFindTheCompilersOfThisProcess() {
        assumeTrue(Files.exists(Path.of("/proc/self/schedstat")), "this kernel does not count");
        Compilers.awaitRest();
        assertTrue(Compilers.takenNs() > 0, "no thread of this process is a compiler that has run");
    }
}
