package io.fairlead.build.drawing;

import io.fairlead.build.drawing.FloorDrawing.Box;
import io.fairlead.build.drawing.MessageWay.Lane;
import io.fairlead.build.drawing.MessageWay.Layer;
import io.fairlead.build.drawing.MessageWay.Lead;
import io.fairlead.build.drawing.MessageWay.Step;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Draws the way of a message: layers are bands, from the application down to the memory that two processes share; what one call sets going is a column. */
final class MessageDrawing {
    private static final int LEFT = 96;
    private static final int TOP = 74;
    private static final int BOX_WIDTH = 152;
    private static final int BOX_HEIGHT = 50;
    private static final int COLUMN = 168;
    private static final int ROW = 72;
    private static final int BAND_PAD = 14;

    private final Map<String, Step> steps;
    private final Map<Layer, Double> tops = new EnumMap<>(Layer.class);
    private final double height;
    private final Svg svg = new Svg();

    MessageDrawing() {
        steps = MessageWay.steps().stream()
                .collect(Collectors.toMap(
                        Step::id,
                        step -> step,
                        (one, other) -> {
                            throw new IllegalStateException("two steps of one id: " + one + ", " + other);
                        },
                        LinkedHashMap::new));
        double y = TOP;
        for (Layer layer : Layer.values()) {
            tops.put(layer, y);
            y += bandHeight(layer) + 8;
        }
        height = y + 8;
    }

    private static double bandHeight(Layer layer) {
        return (layer.rows - 1) * ROW + BOX_HEIGHT + 2.0 * BAND_PAD;
    }

    /** Where the boxes of the steps are. */
    Map<String, Box> boxes() {
        Map<String, Box> boxes = new LinkedHashMap<>();
        steps.values()
                .forEach(step -> boxes.put(
                        step.id(),
                        new Box(
                                LEFT + (double) step.lane().ordinal() * COLUMN,
                                tops.get(step.layer()) + BAND_PAD + step.row() * ROW,
                                BOX_WIDTH,
                                BOX_HEIGHT)));
        return boxes;
    }

    /** How wide the words of each step are, at most. */
    static double widthOf(Step step) {
        return Stream.of(
                        step.simpleName().length() * Svg.LETTER,
                        (step.method().length() + 3) * Svg.LETTER,
                        step.note().length() * Svg.NOTE_LETTER)
                .max(Double::compare)
                .orElseThrow();
    }

    static int boxWidth() {
        return BOX_WIDTH;
    }

    String draw() {
        String title = "The way of one message of 8 bytes, over shared memory";
        double width = LEFT + Lane.values().length * COLUMN;
        svg.label("left strong", 12, 22, title);
        svg.note(
                "left",
                12,
                40,
                "Read by the numbers. Sender and receiver do their part on their worker's own thread, in a call of theirs.");
        for (Layer layer : Layer.values()) {
            svg.rectangle("band", 8, tops.get(layer), width - 16, bandHeight(layer));
            svg.label("left strong", 14, tops.get(layer) + bandHeight(layer) / 2 + 4, layer.title);
        }
        for (Lane lane : Lane.values()) {
            double middle = LEFT + lane.ordinal() * COLUMN + BOX_WIDTH / 2.0;
            svg.label("strong", middle, TOP - 8, lane.title);
        }
        Map<String, Box> boxes = boxes();
        for (Lead lead : MessageWay.leads()) {
            drawLead(steps.get(lead.from()), steps.get(lead.to()), boxes);
        }
        int number = 1;
        for (Step step : steps.values()) {
            drawStep(step, boxes.get(step.id()), number++);
        }
        return svg.text(width, height, title);
    }

    private void drawStep(Step step, Box box, int number) {
        double middle = box.x() + box.width() / 2;
        svg.rectangle("box", box.x(), box.y(), box.width(), box.height());
        svg.label("strong", middle, box.y() + 15, step.simpleName());
        svg.label("", middle, box.y() + 29, "." + step.method() + "()");
        svg.note("", middle, box.y() + 44, step.note());
        svg.disc(box.x(), box.y(), Integer.toString(number));
    }

    private void drawLead(Step from, Step to, Map<String, Box> boxes) {
        Box start = boxes.get(from.id());
        Box end = boxes.get(to.id());
        String colour = Svg.colour(from.lane().ordinal());
        double startMiddle = start.x() + start.width() / 2;
        double endMiddle = end.x() + end.width() / 2;
        boolean down = end.y() > start.y();
        double enter = down ? end.y() : end.y() + end.height();
        if (from.lane() == to.lane()) {
            svg.line(colour, startMiddle, down ? start.y() + start.height() : start.y(), startMiddle, enter);
            svg.tip(colour, startMiddle, enter, 0, down ? 1 : -1);
        } else {
            boolean right = end.x() > start.x();
            double leave = right ? start.x() + start.width() : start.x();
            double height = start.y() + start.height() / 2;
            if (start.y() == end.y()) {
                double side = right ? end.x() : end.x() + end.width();
                svg.line(colour, leave, height, side, height);
                svg.tip(colour, side, height, right ? 1 : -1, 0);
            } else {
                svg.line(colour, leave, height, endMiddle, height, endMiddle, enter);
                svg.tip(colour, endMiddle, enter, 0, down ? 1 : -1);
            }
        }
    }
}
