package io.fairlead.build.drawing;

import io.fairlead.build.drawing.FloorPlan.Spot;
import io.fairlead.build.drawing.Graph.Arrow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Draws a graph row by row, users above what they use. */
final class FloorDrawing {
    private static final int MARGIN = 20;
    private static final int HEAD = 44;
    private static final int BETWEEN = 56;
    private static final int LINE_HEIGHT = 15;
    private static final int PAD = 8;
    private static final int PORT = 7;

    /** What stands in the box of a node: its name, and lines of prose below. */
    record Label(String name, List<String> notes) {
        int width() {
            double widest = name.length() * Svg.LETTER;
            for (String note : notes) {
                widest = Math.max(widest, note.length() * Svg.NOTE_LETTER);
            }
            return (int) Math.ceil(widest) + 2 * PAD;
        }

        int height() {
            return (1 + notes.size()) * LINE_HEIGHT + PAD;
        }
    }

    /** A box of the drawing. */
    record Box(double x, double y, double width, double height) {
        boolean overlaps(Box other) {
            return x < other.x + other.width
                    && other.x < x + width
                    && y < other.y + other.height
                    && other.y < y + height;
        }
    }

    private final Graph graph;
    private final List<Label> labels;
    private final FloorPlan plan;
    private final double[] tops;
    private final double[] heights;
    private final double width;
    private final double height;
    private final Svg svg = new Svg();

    FloorDrawing(Graph graph, List<Label> labels) {
        this.graph = graph;
        this.labels = labels;
        plan = new FloorPlan(graph, labels.stream().mapToInt(Label::width).toArray());
        int rows = plan.rows().size();
        tops = new double[rows];
        heights = new double[rows];
        double y = HEAD;
        double right = 0;
        for (int row = rows - 1; row >= 0; row--) {
            tops[row] = y;
            for (Spot spot : plan.rows().get(row)) {
                if (!spot.passes) {
                    heights[row] = Math.max(heights[row], labels.get(spot.node).height());
                }
                right = Math.max(right, spot.x + spot.width / 2.0);
            }
            y += heights[row] + BETWEEN;
        }
        width = right + 2 * MARGIN;
        height = y - BETWEEN + MARGIN;
    }

    /** Where the boxes of the nodes are, in their order. */
    List<Box> boxes() {
        List<Box> boxes = new ArrayList<>();
        for (int node = 0; node < labels.size(); node++) {
            Spot spot = plan.spot(node);
            double tall = labels.get(node).height();
            double top = tops[spot.row] + (heights[spot.row] - tall) / 2;
            boxes.add(new Box(MARGIN + spot.x - spot.width / 2.0, top, spot.width, tall));
        }
        return boxes;
    }

    String draw(String title, String caption) {
        svg.label("left strong", MARGIN, 20, title);
        svg.note("left", MARGIN, 36, caption);
        plan.rows().forEach(row -> row.forEach(this::drawLinesBelow));
        List<Box> boxes = boxes();
        graph.up().forEach(arrow -> drawUp(arrow, boxes));
        for (int node = 0; node < boxes.size(); node++) {
            drawBox(boxes.get(node), labels.get(node));
            if (!plan.spot(node).above.isEmpty()) {
                svg.tip(
                        Svg.colour(node),
                        MARGIN + plan.spot(node).x,
                        boxes.get(node).y(),
                        0,
                        1);
            }
        }
        // Over the boxes, so that none is hidden.
        graph.up().forEach(arrow -> svg.tip("up", upEnd(arrow, boxes), bottom(boxes.get(arrow.to())), 0, -1));
        int least = (int) Math.ceil(Math.max(title.length() * Svg.LETTER, caption.length() * Svg.NOTE_LETTER));
        return svg.text(Math.max(width, least + 2 * MARGIN), height, title);
    }

    private void drawLinesBelow(Spot upper) {
        List<Spot> ends = new ArrayList<>(upper.below);
        ends.sort(Comparator.comparingDouble(spot -> spot.x));
        double middle = MARGIN + upper.x;
        double bottom = tops[upper.row] + heights[upper.row];
        if (upper.passes) {
            svg.line(Svg.colour(upper.node), middle, tops[upper.row], middle, bottom);
        }
        double step = Math.min(PORT, (upper.width - 2.0 * PAD) / Math.max(1, ends.size() - 1));
        for (int i = 0; i < ends.size(); i++) {
            Spot lower = ends.get(i);
            String colour = Svg.colour(lower.node);
            double start = upper.passes ? middle : middle + step * (i - (ends.size() - 1) / 2.0);
            double end = MARGIN + lower.x;
            if (!upper.passes) {
                svg.line(colour, start, bottom(boxes().get(upper.node)), start, bottom);
            }
            svg.curve(colour, start, bottom, end, tops[lower.row]);
            if (!lower.passes) {
                svg.line(
                        colour,
                        end,
                        tops[lower.row],
                        end,
                        boxes().get(lower.node).y());
            }
        }
    }

    private void drawUp(Arrow arrow, List<Box> boxes) {
        Box from = boxes.get(arrow.from());
        svg.curve("up", from.x() + from.width() - PAD, from.y(), upEnd(arrow, boxes), bottom(boxes.get(arrow.to())));
    }

    private static double upEnd(Arrow arrow, List<Box> boxes) {
        Box to = boxes.get(arrow.to());
        return to.x() + to.width() - PAD;
    }

    private static double bottom(Box box) {
        return box.y() + box.height();
    }

    private void drawBox(Box box, Label label) {
        svg.rectangle("box", box.x(), box.y(), box.width(), box.height());
        double middle = box.x() + box.width() / 2;
        double y = box.y() + LINE_HEIGHT;
        svg.label(label.notes().isEmpty() ? "" : "strong", middle, y, label.name());
        for (String note : label.notes()) {
            y += LINE_HEIGHT;
            svg.note("", middle, y, note);
        }
    }
}
