package io.fairlead.build.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class TestTotalsTest {
    @TempDir
    private Path root;

    @BeforeEach
    void makeSuites() throws IOException {
        Path suites =
                Files.createDirectories(root.resolve("testing/testkit/src/main/java/io/fairlead/testkit/contract"));
        Files.createFile(suites.resolve("TagContract.java"));
        Files.createFile(suites.resolve("Pair.java"));
        Path layers = Files.createDirectories(root.resolve("testing/layers/src/main/java/io/fairlead/testkit/layers"));
        Files.createFile(layers.resolve("NodeContract.java"));
    }

    @Test
    void shouldCountByModuleAndByWhatTheContractWentOver() throws IOException {
        report("core", "io.fairlead.ATest", 10, 1, 2, 3);
        report("core", "io.fairlead.BTest", 1, 0, 0, 0);
        report("shm", "io.fairlead.testkit.contract.TagContract(shm-cma)", 4, 0, 0, 1);
        report("shm", "io.fairlead.testkit.contract.TagContract(shm)", 4, 0, 0, 4);
        report("layers", "io.fairlead.testkit.layers.NodeContract(shm-cma)", 3, 0, 0, 0);
        report("tcp", "io.fairlead.testkit.contract.TagContract", 4, 0, 0, 0);
        report("tcp", "io.fairlead.tcp.TcpContractTest", 0, 0, 0, 0);
        report("tcp", "io.fairlead.tcp.Outer$PairTest", 2, 0, 0, 0);
        assertEquals("""
                                              suites   cases  passed  failed skipped
                module core                        2      11       5       3       3
                module tcp                         1       2       2       0       0
                contract on shm-cma                2       7       6       0       1
                contract on shm                    1       4       0       0       4
                contract on tcp                    1       4       4       0       0

                17 passed, 3 failed, 8 skipped
                """, TestTotals.read(root).table());
        assertTrue(TestTotals.read(root).hasFailed());
    }

    @Test
    void shouldTellWhatRanAsAWhole() throws IOException {
        report("core", "io.fairlead.GoodTest", 2, 0, 0, 0);
        report("core", "io.fairlead.SkippedTest", 2, 0, 0, 1);
        report("core", "io.fairlead.BrokenTest", 2, 0, 1, 0);
        report("shm", "io.fairlead.testkit.contract.TagContract(shm-cma)", 4, 0, 0, 1);
        report("shm", "io.fairlead.testkit.contract.TagContract(shm)", 4, 0, 0, 4);
        TestTotals totals = TestTotals.read(root);
        assertTrue(totals.ran("GoodTest"));
        assertFalse(totals.ran("SkippedTest"));
        assertFalse(totals.ran("BrokenTest"));
        assertFalse(totals.ran("NoTest"));
        assertTrue(totals.ran("contract on shm-cma"));
        assertFalse(totals.ran("contract on shm"));
        assertFalse(totals.ran("contract on ucx"));
    }

    @Test
    void shouldBeEmptyWhereNothingRan() throws IOException {
        report("core", "io.fairlead.NoCasesTest", 0, 0, 0, 0);
        TestTotals totals = TestTotals.read(root);
        assertTrue(totals.isEmpty());
        assertFalse(totals.hasFailed());
        assertEquals("\n0 passed, 0 failed, 0 skipped\n", totals.table());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<testsuite name=\"io.fairlead.ATest\" tests=\"1\"",
                "<testsuite name=\"io.fairlead.ATest\" tests=\"1\" errors=\"0\" failures=\"0\"/>",
                "<testsuite name=\"io.fairlead.ATest\" tests=\"x\" errors=\"0\" skipped=\"0\" failures=\"0\"/>",
                "<html/>"
            })
    void shouldNameTheReportThatCannotBeRead(String text) throws IOException {
        Path file = Files.writeString(reports("core").resolve("TEST-io.fairlead.ATest.xml"), text);
        String message =
                assertThrows(IOException.class, () -> TestTotals.read(root)).getMessage();
        assertTrue(message.startsWith("not a report of Surefire: file=" + file + ", "), message);
    }

    private Path reports(String module) throws IOException {
        return Files.createDirectories(root.resolve(module).resolve("target/surefire-reports"));
    }

    /** As Surefire writes it: attributes in any order, over several lines, and each case behind them. */
    private void report(String module, String name, int cases, int failures, int errors, int skipped)
            throws IOException {
        Files.writeString(
                reports(module).resolve("TEST-" + name + ".xml"),
                String.format(Locale.ROOT, """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="3.0.2"
                  name="%s" time="0.1" tests="%d" errors="%d" skipped="%d" failures="%d" flakes="0">
                  <properties><property name="tests" value="99"/></properties>
                  <testcase name="should &lt;x&gt;" classname="x" time="0.001"/>
                </testsuite>
                """, name, cases, errors, skipped, failures));
        Files.writeString(reports(module).resolve(name + ".txt"), "no report");
    }
}
