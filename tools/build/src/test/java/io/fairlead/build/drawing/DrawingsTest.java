package io.fairlead.build.drawing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.build.Repository;
import io.fairlead.build.drawing.MessageWay.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The drawings in the tree are of the code in the tree, and can be read. */
@Timeout(60)
final class DrawingsTest {
    @Test
    void shouldBeWhatTheTreeSays() throws IOException {
        List<String> stale = new ArrayList<>();
        for (var drawing : Draw.current(Repository.root()).entrySet()) {
            Path file = Repository.root().resolve("docs/drawings").resolve(drawing.getKey());
            if (!Files.exists(file) || !Files.readString(file).equals(drawing.getValue())) {
                stale.add(drawing.getKey());
            }
        }
        assertEquals(List.of(), stale, "run tools/build/draw");
    }

    @Test
    void shouldNameMethodsThatThereAre() {
        List<String> unknown = new ArrayList<>();
        for (Step step : MessageWay.steps()) {
            try {
                Class<?> type =
                        Class.forName(step.className(), false, getClass().getClassLoader());
                if (Arrays.stream(type.getDeclaredMethods())
                        .noneMatch(method -> method.getName().equals(step.method()))) {
                    unknown.add(step.className() + "." + step.method());
                }
            } catch (ClassNotFoundException absent) {
                unknown.add(step.className());
            }
        }
        assertEquals(List.of(), unknown, "correct MessageWay, then run tools/build/draw");
    }

    @Test
    void shouldLeadFromAndToEveryStep() {
        Set<String> steps =
                new HashSet<>(MessageWay.steps().stream().map(Step::id).toList());
        Set<String> led = new HashSet<>();
        MessageWay.leads().forEach(lead -> led.addAll(List.of(lead.from(), lead.to())));
        assertEquals(steps, led);
    }

    @Test
    void shouldHaveRoomForEveryWord() {
        for (Step step : MessageWay.steps()) {
            assertTrue(MessageDrawing.widthOf(step) <= MessageDrawing.boxWidth() - 8, step::toString);
        }
        GraphTest.assertNoOverlap(List.copyOf(new MessageDrawing().boxes().values()));
    }

    @Test
    void shouldDrawModulesApart() throws IOException {
        GraphTest.assertNoOverlap(Modules.read(Repository.root()).drawing().boxes());
    }

    /** So that a reader of the drawing sees all of the folders. */
    @Test
    void shouldDrawEveryModule() throws IOException {
        assertEquals(
                Repository.modules(), Modules.read(Repository.root()).graph().names());
    }
}
