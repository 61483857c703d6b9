package io.fairlead.benchmarks;

import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.w3c.dom.Document;

/** Draws panels side by side as an SVG, each with a scale of its own. */
final class LatencyPlot {
    private static final int HEIGHT = 340;
    /** Of the space for one bar and its figure, and of what a panel has beside its bars. */
    private static final int BAR_WIDTH = 38;

    private static final int FRAME_WIDTH = 90;
    private static final String SVG = "http://www.w3.org/2000/svg";
    private static final Color INK = new Color(0x1b2530);
    private static final Color GRID = new Color(0xe1e6ec);
    private static final Color FAIRLEAD = new Color(0x1f6feb);
    private static final Color[] RIVALS = {new Color(0x9aa8b8), new Color(0xd9a155), new Color(0x45c3a4)};

    private LatencyPlot() {}

    /** The drawing as text. */
    static String draw(List<LatencyPanel> panels) {
        SVGGraphics2D canvas = canvas();
        int left = 0;
        for (LatencyPanel panel : panels) {
            int width = width(panel);
            SVGGraphics2D part = (SVGGraphics2D) canvas.create();
            part.translate(left, 0);
            chart(panel, width).paint(part, width, HEIGHT);
            part.dispose();
            left += width;
        }
        canvas.setSVGCanvasSize(new Dimension(left, HEIGHT));
        StringWriter text = new StringWriter();
        try {
            canvas.stream(text, true);
        } catch (IOException impossible) {
            throw new IllegalStateException("a string cannot be full", impossible);
        }
        return text.toString();
    }

    private static SVGGraphics2D canvas() {
        // Without a display there is no other way to measure text.
        System.setProperty("java.awt.headless", "true");
        try {
            Document document = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .getDOMImplementation()
                    .createDocument(SVG, "svg", null);
            SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
            context.setComment("Drawn by fairlead bench plot");
            context.setPrecision(1);
            return new SVGGraphics2D(context, false);
        } catch (ParserConfigurationException impossible) {
            throw new IllegalStateException("the JDK has no XML parser", impossible);
        }
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
                .setLabelsFontColor(INK)
                .setAvailableSpaceFill(0.8)
                .setPlotGridVerticalLinesVisible(false)
                .setPlotGridLinesColor(GRID)
                .setYAxisMin(0.0)
                .setLegendPosition(LegendPosition.OutsideS)
                .setLegendLayout(LegendLayout.Horizontal)
                .setLegendBorderColor(Color.WHITE)
                .setPlotBorderVisible(false)
                .setChartBackgroundColor(Color.WHITE)
                .setChartFontColor(INK)
                .setLocale(Locale.ROOT)
                .setDecimalPattern("0.0##");
        int rival = 0;
        for (var contestant : panel.microseconds().entrySet()) {
            boolean last = rival == panel.microseconds().size() - 1;
            chart.addSeries(contestant.getKey(), panel.operations(), contestant.getValue())
                    .setFillColor(last ? FAIRLEAD : RIVALS[rival % RIVALS.length]);
            rival++;
        }
        return chart;
    }
}
