package io.fairlead.benchmarks.plot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import picocli.CommandLine;

@Timeout(120)
final class PlotCommandTest {
    @TempDir
    private Path folder;

    private static Report shared() {
        Report report = new Report();
        for (String metric : List.of("p50", "mean")) {
            Rows.add(report, "perf", "tag-lat", "ucx_perftest", 8, metric, metric.equals("p50") ? 0.2 : 0.3, "us");
            Rows.add(report, "perf", "tag-lat", "fairlead", 8, metric, metric.equals("p50") ? 0.25 : 0.35, "us");
            Rows.add(report, "perf", "get-lat", "fairlead", 8, metric, metric.equals("p50") ? 0.05 : 0.06, "us");
        }
        Rows.add(report, "perf", "tag-lat", "fairlead/ucx_perftest", 8, "p50", 1.25, "ratio");
        Rows.add(report, "perf", "tag-lat", "fairlead/ucx_perftest", 8, "p50-max", 1.3, "ratio");
        Rows.add(report, "perf", "tag-lat", "fairlead/fairlead/ucx", 8, "p50", 0.7, "ratio");
        Rows.add(report, "perf", "get-lat", "fairlead/ucx_perftest", 8, "mean", 1.25, "ratio");
        Rows.add(report, "perf", "tag-bw", "fairlead/ucx_perftest", 8, "rate", 1.1, "ratio");
        Rows.add(report, "perf", "tag-lat", "fairlead/ucx_perftest", 4097, "p50", 1.25, "ratio");
        return report;
    }

    private static Report tcp() {
        Report report = new Report();
        Rows.add(report, "tcp-latency", "half-round-trip", "raw-nio", 4096, "p50", 5, "us");
        Rows.add(report, "tcp-latency", "half-round-trip", "fairlead", 4096, "p50", 6, "us");
        Rows.add(report, "tcp-latency", "half-round-trip", "fairlead/raw-nio", 4096, "p50", 1.2, "ratio");
        return report;
    }

    @Test
    void shouldShowTheFiguresByWhichReportsCompare() {
        List<LatencyPanel> panels = LatencyPanel.of(List.of(tcp(), shared()));
        assertEquals(2, panels.size());
        LatencyPanel tcp = panels.getFirst();
        assertEquals(List.of("message 4 KiB"), tcp.operations());
        assertEquals(
                List.of("raw NIO", "Fairlead"), List.copyOf(tcp.microseconds().keySet()));
        LatencyPanel shared = panels.getLast();
        assertEquals(List.of("message 8 B", "get 8 B"), shared.operations());
        assertEquals(List.of(0.2, Double.NaN), shared.microseconds().get("C (ucx_perftest)"));
        assertEquals(List.of(0.25, 0.06), shared.microseconds().get("Fairlead"));
    }

    @Test
    void shouldDrawAPanelForEachReport() throws Exception {
        Path first = folder.resolve("first.json");
        Path second = folder.resolve("second.json");
        shared().write(first);
        tcp().write(second);
        double one = width(draw(first));
        double two = width(draw(first, second));
        assertTrue(one > 100 && two > one + 100, () -> "one=" + one + ", two=" + two);
    }

    private Path draw(Path... reports) {
        Path svg = folder.resolve("plot.svg");
        CommandLine command = new CommandLine(new PlotCommand());
        String[] arguments = new String[reports.length + 1];
        for (int i = 0; i < reports.length; i++) {
            arguments[i] = reports[i].toString();
        }
        arguments[reports.length] = "--svg=" + svg;
        assertEquals(0, command.execute(arguments));
        return svg;
    }

    /** The drawing is well-formed and holds the bars: a filled shape in Fairlead's colour. */
    private static double width(Path svg) throws Exception {
        String text = Files.readString(svg);
        assertTrue(text.contains("rgb(31,111,235)"), "no bar of Fairlead's");
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        // The document type of SVG 1.0 would be fetched from its authors.
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        Element root = factory.newDocumentBuilder().parse(svg.toFile()).getDocumentElement();
        assertEquals("svg", root.getTagName());
        return Double.parseDouble(root.getAttribute("width"));
    }

    @Test
    void shouldRefuseWhatHoldsNoLatencies() throws Exception {
        Report empty = new Report();
        Path file = folder.resolve("empty.json");
        empty.write(file);
        assertRefused("no latency to compare in [" + file + "]", file, CommandFailure.USAGE);
        for (String text : List.of("{\"rows\": 1}", "{}", "{\"rows\": [{}], \"goals\": []}", "", "{", "[]")) {
            Path wrong = Files.writeString(folder.resolve("wrong.json"), text);
            assertRefused("not a report of a comparison: file=" + wrong, wrong, CommandFailure.FAILED);
        }
        Path none = folder.resolve("none.json");
        assertRefused("cannot read the report: file=" + none + "; no such file or folder", none, CommandFailure.FAILED);
    }

    private void assertRefused(String message, Path report, int status) {
        PlotCommand command = CommandLine.populateCommand(
                new PlotCommand(), report.toString(), "--svg=" + folder.resolve("none.svg"));
        CommandFailure failure = assertThrows(CommandFailure.class, command::call);
        assertTrue(failure.getMessage().startsWith(message), failure::getMessage);
        assertEquals(status, failure.status());
    }
}
