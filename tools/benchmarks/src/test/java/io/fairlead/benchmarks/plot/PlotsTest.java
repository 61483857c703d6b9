package io.fairlead.benchmarks.plot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

@Timeout(120)
final class PlotsTest {
    @TempDir
    private Path folder;

    private static Report report() {
        Report report = new Report();
        for (String subject : List.of("fairlead-shm", "aeron-ipc")) {
            double factor = subject.equals("aeron-ipc") ? 2 : 1;
            Rows.add(report, "latency", "8 B spin", subject, 8, "p50", 0.4 * factor, "us");
            Rows.add(report, "latency", "8 B spin", subject, 8, "p99", 0.8 * factor, "us");
            Rows.add(report, "latency", "8 B spin", subject, 8, "p99.9", 4 * factor, "us");
            Rows.add(report, "latency", "64 KiB spin", subject, 65_536, "p50", 16 * factor, "us");
            Rows.add(report, "latency", "8 B block", subject, 8, "p50", 99, "us");
            Rows.add(report, "rate", "8 B spin", subject, 8, "rate", 2e7 / factor, "1/s");
            Rows.add(report, "bandwidth", "1 MiB spin", subject, 1 << 20, "rate", 1e4 / factor, "1/s");
        }
        Rows.add(report, "latency", "8 B spin", "aeron-ipc/fairlead-shm", 8, "half_round_trip", 2, "ratio");
        Rows.add(report, "rate", "8 B spin", "nats", 8, "rate", 5, "1/s");
        return report;
    }

    @Test
    void shouldTakeTheFiguresOfSpinningContestantsBySizeAndByPercentile() {
        List<Lines> drawings = Lines.of(report());
        assertEquals(
                List.of("latency", "rate", "percentiles"),
                drawings.stream().map(Lines::name).toList());
        assertEquals(
                Map.of(
                        "fairlead-shm", new TreeMap<>(Map.of(8.0, 0.2, 65_536.0, 8.0)),
                        "aeron-ipc", new TreeMap<>(Map.of(8.0, 0.4, 65_536.0, 16.0))),
                drawings.getFirst().lines());
        assertEquals(
                new TreeMap<>(Map.of(8.0, 2e7, 1_048_576.0, 1e4)),
                drawings.get(1).lines().get("fairlead-shm"));
        // Of one size is no line.
        assertEquals(2, drawings.get(1).lines().size());
        assertEquals(
                new TreeMap<>(Map.of(2.0, 0.2, 100.0, 0.4, 1000.0, 2.0)),
                drawings.getLast().lines().get("fairlead-shm"));
    }

    @Test
    void shouldDrawEachAsSvgAndAsPng() throws Exception {
        Plots.write(report(), folder);
        for (String name : List.of("latency", "rate", "percentiles")) {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            // The document type of SVG 1.0 would be fetched from its authors.
            factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
            Document svg = factory.newDocumentBuilder()
                    .parse(folder.resolve(name + ".svg").toFile());
            assertTrue(has(svg, "#1f6feb"), () -> name + " has no line of Fairlead's");
            assertTrue(has(svg, "#1b2530"), () -> name + " has no line of another");
            assertTrue(ImageIO.read(folder.resolve(name + ".png").toFile()).getWidth() > 800, name);
        }
    }

    /** Whether something is drawn in a colour; words are drawn as shapes. */
    private static boolean has(Document svg, String color) {
        NodeList all = svg.getElementsByTagName("*");
        return IntStream.range(0, all.getLength())
                .mapToObj(index -> (Element) all.item(index))
                .map(element ->
                        element.getAttribute("stroke") + element.getAttribute("fill") + element.getAttribute("style"))
                .anyMatch(style -> style.contains(color) || style.contains(rgb(color)));
    }

    private static String rgb(String color) {
        int value = Integer.decode(color);
        return "rgb(" + (value >> 16) + "," + (value >> 8 & 0xff) + "," + (value & 0xff) + ")";
    }

    @Test
    void shouldDrawNothingOfNothing() throws Exception {
        Plots.write(new Report(), folder);
        try (var files = Files.list(folder)) {
            assertEquals(0, files.count());
        }
    }

    @Test
    void shouldMakeTheFolderAndRefuseOneThatCannotBe() throws Exception {
        Plots.checkWritable(folder.resolve("new/one"));
        assertTrue(Files.isDirectory(folder.resolve("new/one")));
        Path file = Files.createFile(folder.resolve("file"));
        CommandFailure refused = assertThrows(CommandFailure.class, () -> Plots.checkWritable(file.resolve("x")));
        assertTrue(
                String.valueOf(refused.getMessage()).startsWith("cannot write drawings: folder="), refused::getMessage);
    }
}
