package io.fairlead.build.drawing;

import java.util.Locale;

/** A drawing as text: whole numbers only, so that it is the same everywhere, and colours for light and for dark surroundings. */
final class Svg {
    /** Of one letter of a label, whatever the font; labels are stretched to it. */
    static final double LETTER = 7.2;

    /** Of one letter of a note, at most. */
    static final double NOTE_LETTER = 6.1;

    private static final int COLOURS = 7;
    private static final String STYLE = """
            <style>
            .paper { fill: #ffffff } .band { fill: #f1f4f8 } .box { fill: #ffffff; stroke: #57677a }
            text { fill: #1b2530; font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; text-anchor: middle }
            .note { fill: #4a5868; font: 11px system-ui, "DejaVu Sans", Arial, sans-serif }
            .disc { fill: #1b2530 } text.count { fill: #ffffff; font: bold 10px system-ui, "DejaVu Sans", Arial, sans-serif }
            .left { text-anchor: start } .strong { font-weight: bold }
            .line { fill: none; stroke-width: 1.3 } .tip { stroke: none }
            .c0 { stroke: #3a72c4; fill: #3a72c4 } .c1 { stroke: #1f8a70; fill: #1f8a70 } .c2 { stroke: #8757c8; fill: #8757c8 }
            .c3 { stroke: #a86b1d; fill: #a86b1d } .c4 { stroke: #5c8a1e; fill: #5c8a1e } .c5 { stroke: #c04f92; fill: #c04f92 }
            .c6 { stroke: #6a7686; fill: #6a7686 } .up { stroke: #d1242f; fill: #d1242f }
            path.line { fill: none } path.up { stroke-dasharray: 6 3; stroke-width: 1.6 }
            @media (prefers-color-scheme: dark) {
            .paper { fill: #0f151c } .band { fill: #18212b } .box { fill: #202b37; stroke: #8b9bb0 }
            .disc { fill: #e4ebf3 } text { fill: #e4ebf3 } text.count { fill: #0f151c } .note { fill: #aebccb }
            .c0 { stroke: #6ea3f0; fill: #6ea3f0 } .c1 { stroke: #45c3a4; fill: #45c3a4 } .c2 { stroke: #b492ee; fill: #b492ee }
            .c3 { stroke: #d9a155; fill: #d9a155 } .c4 { stroke: #97c65a; fill: #97c65a } .c5 { stroke: #ec86bf; fill: #ec86bf }
            .c6 { stroke: #9aa8b8; fill: #9aa8b8 } .up { stroke: #ff6b70; fill: #ff6b70 }
            path.line { fill: none }
            }
            </style>
            """;

    private final StringBuilder body = new StringBuilder();

    void rectangle(String kind, double x, double y, double width, double height) {
        body.append(String.format(
                Locale.ROOT,
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n",
                kind,
                Math.round(x),
                Math.round(y),
                Math.round(width),
                Math.round(height)));
    }

    /** The name of something in code, of a fixed width for each letter. */
    void label(String kind, double x, double y, String text) {
        body.append(String.format(
                Locale.ROOT,
                "<text class=\"%s\" x=\"%d\" y=\"%d\" textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\">%s</text>\n",
                kind,
                Math.round(x),
                Math.round(y),
                Math.round(text.length() * LETTER),
                escaped(text)));
    }

    void note(String kind, double x, double y, String text) {
        body.append(String.format(
                Locale.ROOT,
                "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n",
                ("note " + kind).strip(),
                Math.round(x),
                Math.round(y),
                escaped(text)));
    }

    /** A number in a disc. */
    void disc(double x, double y, String number) {
        body.append(String.format(
                Locale.ROOT,
                "<circle class=\"disc\" cx=\"%d\" cy=\"%d\" r=\"9\"/>\n<text class=\"count\" x=\"%d\" y=\"%d\">%s</text>\n",
                Math.round(x),
                Math.round(y),
                Math.round(x),
                Math.round(y) + 4,
                number));
    }

    /** A curve that leaves and arrives upright. */
    void curve(String kind, double x1, double y1, double x2, double y2) {
        double bend = (y2 - y1) / 2;
        body.append(String.format(
                Locale.ROOT,
                "<path class=\"line %s\" d=\"M%d %dC%d %d %d %d %d %d\"/>\n",
                kind,
                Math.round(x1),
                Math.round(y1),
                Math.round(x1),
                Math.round(y1 + bend),
                Math.round(x2),
                Math.round(y2 - bend),
                Math.round(x2),
                Math.round(y2)));
    }

    /** A line through points, each a pair of x and y. */
    void line(String kind, double... points) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < points.length; i += 2) {
            path.append(i == 0 ? 'M' : 'L')
                    .append(Math.round(points[i]))
                    .append(' ')
                    .append(Math.round(points[i + 1]));
        }
        body.append("<path class=\"line ")
                .append(kind)
                .append("\" d=\"")
                .append(path)
                .append("\"/>\n");
    }

    /** The head of an arrow that points from (dx, dy) before it to (x, y); one of the two is 0. */
    void tip(String kind, double x, double y, int dx, int dy) {
        long tipX = Math.round(x);
        long tipY = Math.round(y);
        long backX = tipX - Integer.signum(dx) * 7L;
        long backY = tipY - Integer.signum(dy) * 7L;
        long sideX = dx == 0 ? 4 : 0;
        long sideY = dx == 0 ? 0 : 4;
        body.append(String.format(
                Locale.ROOT,
                "<path class=\"tip %s\" d=\"M%d %dL%d %dL%d %dZ\"/>\n",
                kind,
                tipX,
                tipY,
                backX - sideX,
                backY - sideY,
                backX + sideX,
                backY + sideY));
    }

    static String colour(int number) {
        return "c" + number % COLOURS;
    }

    /** The whole file. */
    String text(double width, double height, String title) {
        long w = Math.round(width);
        long h = Math.round(height);
        return String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">
                <title>%s</title>
                %s<rect class="paper" width="%d" height="%d"/>
                %s</svg>
                """, w, h, w, h, escaped(title), STYLE, w, h, body);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
