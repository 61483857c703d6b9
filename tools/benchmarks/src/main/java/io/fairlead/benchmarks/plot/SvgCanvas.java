package io.fairlead.benchmarks.plot;

import java.awt.Dimension;
import java.io.IOException;
import java.io.StringWriter;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.internal.chartpart.Chart;
import org.w3c.dom.Document;

/** An SVG that charts are drawn into. */
final class SvgCanvas {
    private static final String SVG = "http://www.w3.org/2000/svg";

    private final SVGGraphics2D graphics;

    SvgCanvas() {
        // Without a display there is no other way to measure text.
        System.setProperty("java.awt.headless", "true");
        try {
            Document document = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .getDOMImplementation()
                    .createDocument(SVG, "svg", null);
            SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
            context.setComment("Drawn by fairlead bench");
            context.setPrecision(1);
            graphics = new SVGGraphics2D(context, false);
        } catch (ParserConfigurationException impossible) {
            throw new IllegalStateException("the JDK has no XML parser", impossible);
        }
    }

    /** Draws a chart, so many pixels from the left. */
    void paint(Chart<?, ?> chart, int left, int width, int height) {
        SVGGraphics2D part = (SVGGraphics2D) graphics.create();
        part.translate(left, 0);
        chart.paint(part, width, height);
        part.dispose();
    }

    /** The drawing, which is so large. */
    String text(int width, int height) {
        graphics.setSVGCanvasSize(new Dimension(width, height));
        StringWriter text = new StringWriter();
        try {
            graphics.stream(text, true);
        } catch (IOException impossible) {
            throw new IllegalStateException("a string cannot be full", impossible);
        }
        return text.toString();
    }
}
