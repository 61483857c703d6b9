package io.fairlead.build.drawing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class GraphTest {
    @Test
    void shouldPutUsersAboveWhatTheyUse() {
        Graph graph = Graph.of(Map.of("app", List.of("engine", "wire"), "engine", List.of("wire")));
        assertEquals(List.of("app", "engine", "wire"), graph.names());
        assertEquals(2, graph.floor(0));
        assertEquals(1, graph.floor(1));
        assertEquals(0, graph.floor(2));
        assertEquals(3, graph.floorCount());
        assertTrue(graph.up().isEmpty());
    }

    @Test
    void shouldCountOneArrowBackForEachCircle() {
        Graph graph = Graph.of(Map.of(
                "a",
                List.of("b"),
                "b",
                List.of("c"),
                "c",
                List.of("a"),
                "p",
                List.of("q"),
                "q",
                List.of("p"),
                "self",
                List.of("self")));
        assertEquals(2, graph.up().size());
        assertEquals(3, graph.down().size());
        assertTrue(graph.up().stream().allMatch(arrow -> graph.floor(arrow.to()) > graph.floor(arrow.from())));
    }

    @Test
    void shouldTakeTheFewArrowsOfACircleBackRatherThanTheMany() {
        Map<String, List<String>> uses = new TreeMap<>();
        uses.put("hub", List.of("rim"));
        List<String> spokes = IntStream.range(0, 9).mapToObj(i -> "spoke" + i).toList();
        uses.put("rim", spokes);
        spokes.forEach(spoke -> uses.put(spoke, List.of("hub")));
        Graph graph = Graph.of(uses);
        assertEquals(List.of("hub -> rim"), graph.up().stream().map(graph::text).toList());
    }

    @Test
    void shouldLeaveOutWhatOthersImply() {
        Graph graph = Graph.of(Map.of("app", List.of("engine", "wire", "log"), "engine", List.of("wire")))
                .reduced();
        assertEquals(
                List.of("app -> engine", "app -> log", "engine -> wire"),
                graph.down().stream().map(graph::text).toList());
    }

    @Test
    void shouldDrawNoBoxOverAnother() {
        Map<String, List<String>> uses = new TreeMap<>();
        for (int i = 0; i < 60; i++) {
            int number = i;
            uses.put(
                    "Name" + "x".repeat(i % 17) + i,
                    IntStream.range(0, i)
                            .filter(other -> (other * 31 + number * 17) % 11 == 0)
                            .mapToObj(other -> "Name" + "x".repeat(other % 17) + other)
                            .toList());
        }
        Graph graph = Graph.of(uses);
        FloorDrawing drawing = new FloorDrawing(
                graph,
                graph.names().stream()
                        .map(name -> new FloorDrawing.Label(name, List.of()))
                        .toList());
        assertNoOverlap(drawing.boxes());
    }

    static void assertNoOverlap(List<FloorDrawing.Box> boxes) {
        for (int i = 0; i < boxes.size(); i++) {
            for (int j = 0; j < i; j++) {
                int one = i;
                int other = j;
                assertTrue(!boxes.get(i).overlaps(boxes.get(j)), () -> boxes.get(one) + " over " + boxes.get(other));
            }
        }
    }
}
