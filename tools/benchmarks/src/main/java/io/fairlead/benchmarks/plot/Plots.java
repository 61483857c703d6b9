package io.fairlead.benchmarks.plot;

import io.fairlead.benchmarks.plot.Lines.Scale;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.FileProblem;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.perf.PerfPlan;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws the figures of a report into a folder, each drawing as SVG and as PNG. */
public final class Plots {
    private static final int WIDTH = 860;
    private static final int HEIGHT = 480;
    private static final int DPI = 144;
    private static final String OURS = "fairlead-";
    private static final Color[] FAIRLEAD = {
        new Color(0x1f6feb), new Color(0x0a3d91), new Color(0x58a6ff), new Color(0x00a3a3)
    };
    private static final Color[] OTHERS = {
        new Color(0x1b2530),
        new Color(0xd9a155),
        new Color(0x45c3a4),
        new Color(0xc2556e),
        new Color(0x8a63d2),
        new Color(0x7a8a99),
        new Color(0xb5892f),
        new Color(0x2f8f6f),
        new Color(0xe07b39)
    };

    private Plots() {}

    /** Before anything is measured: fails if there is no such folder and it cannot be made, or nothing can be written there. */
    public static void checkWritable(Path folder) {
        try {
            Files.delete(Files.createTempFile(Files.createDirectories(folder), "plot", ""));
        } catch (IOException failure) {
            throw unwritable(folder, failure);
        }
    }

    private static CommandFailure unwritable(Path folder, IOException failure) {
        return CommandFailure.failed("cannot write drawings: folder=" + folder + "; " + FileProblem.of(failure)
                + "; name a folder that you may write to");
    }

    /** Draws what a report has figures for. */
    public static void write(Report report, Path folder) {
        for (Lines drawing : Lines.of(report)) {
            // Batik's canvas comes first, because it says that there is no display.
            SvgCanvas canvas = new SvgCanvas();
            XYChart chart = chart(drawing);
            canvas.paint(chart, 0, WIDTH, HEIGHT);
            try {
                Files.writeString(folder.resolve(drawing.name() + ".svg"), canvas.text(WIDTH, HEIGHT));
                BitmapEncoder.saveBitmapWithDPI(
                        chart, folder.resolve(drawing.name()).toString(), BitmapFormat.PNG, DPI);
            } catch (IOException failure) {
                throw unwritable(folder, failure);
            }
        }
    }

    private static XYChart chart(Lines drawing) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(drawing.title())
                .xAxisTitle(drawing.xAxis())
                .yAxisTitle(drawing.yAxis())
                .build();
        XYStyler styler = chart.getStyler();
        styler.setXAxisLogarithmic(true).setYAxisLogarithmic(true).setPlotGridLinesColor(Look.GRID);
        styler.setMarkerSize(6).setLocale(Locale.ROOT);
        styler.setPlotBorderVisible(false)
                .setChartBackgroundColor(Color.WHITE)
                .setChartFontColor(Look.INK)
                .setLegendPosition(LegendPosition.OutsideE)
                .setLegendBorderColor(Color.WHITE);
        chart.setCustomXAxisTickLabelsFormatter(place -> label(drawing.scale(), place));
        chart.setCustomYAxisTickLabelsFormatter(Plots::number);
        int ours = 0;
        int others = 0;
        for (var line : drawing.lines().entrySet()) {
            boolean own = line.getKey().startsWith(OURS);
            XYSeries series = add(chart, line.getKey(), line.getValue());
            Color color = own ? FAIRLEAD[ours++ % FAIRLEAD.length] : OTHERS[others++ % OTHERS.length];
            series.setLineColor(color);
            series.setLineStyle(own ? new BasicStroke(3) : SeriesLines.DASH_DASH);
            series.setMarkerColor(color);
            series.setMarker(SeriesMarkers.CIRCLE);
        }
        return chart;
    }

    private static XYSeries add(XYChart chart, String title, SortedMap<Double, Double> points) {
        List<Double> places = new ArrayList<>(points.keySet());
        return chart.addSeries(title, places, new ArrayList<>(points.values()));
    }

    private static String label(Scale scale, double place) {
        return switch (scale) {
            case BYTES -> PerfPlan.sizeText((int) Math.round(place));
            case PERCENTILES -> "p" + number(100 - 100 / place);
        };
    }

    private static String number(double value) {
        return value >= 1000
                ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, "%.4f", value).replaceFirst("\\.?0+$", "");
    }
}
