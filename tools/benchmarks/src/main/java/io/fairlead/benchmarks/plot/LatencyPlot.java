package io.fairlead.benchmarks.plot;

import java.awt.Color;
import java.awt.Font;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Draws panels side by side as an SVG, each with a scale of its own. */
final class LatencyPlot {
    private static final int HEIGHT = 340;
    /** Of the space for one bar and its figure, and of what a panel has beside its bars. */
    private static final int BAR_WIDTH = 38;

    private static final int FRAME_WIDTH = 90;
    private static final Color FAIRLEAD = new Color(0x1f6feb);
    private static final Color[] OTHERS = {new Color(0x9aa8b8), new Color(0xd9a155), new Color(0x45c3a4)};

    private LatencyPlot() {}

    /** The drawing as text. */
    static String draw(List<LatencyPanel> panels) {
        SvgCanvas canvas = new SvgCanvas();
        int left = 0;
        for (LatencyPanel panel : panels) {
            int width = width(panel);
            canvas.paint(chart(panel, width), left, width, HEIGHT);
            left += width;
        }
        return canvas.text(left, HEIGHT);
    }

    private static int width(LatencyPanel panel) {
        return FRAME_WIDTH + panel.operations().size() * (panel.microseconds().size() + 1) * BAR_WIDTH;
    }

    private static CategoryChart chart(LatencyPanel panel, int width) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(width)
                .height(HEIGHT)
                .title(panel.title())
                .yAxisTitle("microseconds, less is better")
                .build();
        chart.getStyler()
                .setLabelsVisible(true)
                .setLabelsPosition(1.06)
                .setLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 10))
                .setLabelsFontColor(Look.INK)
                .setAvailableSpaceFill(0.8)
                .setPlotGridVerticalLinesVisible(false)
                .setPlotGridLinesColor(Look.GRID)
                .setYAxisMin(0.0)
                .setLegendPosition(LegendPosition.OutsideS)
                .setLegendLayout(LegendLayout.Horizontal)
                .setLegendBorderColor(Color.WHITE)
                .setPlotBorderVisible(false)
                .setChartBackgroundColor(Color.WHITE)
                .setChartFontColor(Look.INK)
                .setLocale(Locale.ROOT)
                .setDecimalPattern("0.0##");
        int other = 0;
        for (var contestant : panel.microseconds().entrySet()) {
            boolean last = other == panel.microseconds().size() - 1;
            chart.addSeries(contestant.getKey(), panel.operations(), contestant.getValue())
                    .setFillColor(last ? FAIRLEAD : OTHERS[other % OTHERS.length]);
            other++;
        }
        return chart;
    }
}
