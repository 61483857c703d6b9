package io.fairlead.cli.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
final class PerftestTest {
    @TempDir
    Path folder;

    @Test
    void shouldSayWhatAServerSaidThatDoesNotListen() throws IOException {
        Path program = folder.resolve("ucx_perftest");
        Files.writeString(
                program, "#!/bin/sh\necho started >>" + folder + "/starts\necho address already in use\nexit 1\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));

        Work work = Work.of(PerfTest.TAG_LAT, 8, 1);
        IOException failure = assertThrows(IOException.class, () -> new Perftest(program, "self").turn(work));
        assertTrue(failure.getMessage().contains("address already in use"), failure::getMessage);
        assertEquals(
                Perftest.SERVERS_MAX,
                Files.readAllLines(folder.resolve("starts")).size());
    }

    @Test
    void shouldReadFiguresByTheNamesOfTheirColumns() throws IOException {
        List<String> output = List.of(
                "[1700000000.000000] [host:1:0] some warning",
                "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr",
                "1000000,0.176,0.178,0.179,42.83,42.84,5613497,5613498");
        assertEquals(new Perftest.Figures(0.176, 5613498), Perftest.parse(output));
    }

    @Test
    void shouldReadFiguresOfARequestForAnotherPercentile() throws IOException {
        List<String> output = List.of(
                "iterations,overall_mr,99.0_percentile_lat,overall_lat,added_by_a_later_release", "10,3,0.5,0.6,7");
        assertEquals(new Perftest.Figures(0.5, 3), Perftest.parse(output));
    }

    @Test
    void shouldTellWhatWasPrintedInPlaceOfFigures() {
        List<String> output = List.of("failed to connect to 127.0.0.1:13337", "Connection refused");
        IOException failure = assertThrows(IOException.class, () -> Perftest.parse(output));
        assertTrue(failure.getMessage().contains("Connection refused"), failure::getMessage);
    }

    @Test
    void shouldRefuseColumnsWithoutTheFiguresNeeded() {
        List<String> output = List.of("iterations,overall_lat,overall_mr", "10,1.0,2");
        IOException failure = assertThrows(IOException.class, () -> Perftest.parse(output));
        assertTrue(failure.getMessage().contains("_percentile_lat"), failure::getMessage);
    }

    @Test
    void shouldRefuseAFigureThatIsNoNumber() {
        List<String> output = List.of("iterations,50.0_percentile_lat,overall_lat,overall_mr", "10,n/a,2.0,3");
        IOException failure = assertThrows(IOException.class, () -> Perftest.parse(output));
        assertTrue(failure.getMessage().contains("n/a"), failure::getMessage);
    }
}
