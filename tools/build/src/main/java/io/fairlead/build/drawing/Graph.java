package io.fairlead.build.drawing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who uses whom, on floors: everything stands above what it uses. Where uses form a circle that cannot be, and some arrows run back up; they
 * are chosen to be few, and the same ones every time.
 */
final class Graph {
    /** A use. */
    record Arrow(int from, int to) implements Comparable<Arrow> {
        @Override
        public int compareTo(Arrow other) {
            return from != other.from ? Integer.compare(from, other.from) : Integer.compare(to, other.to);
        }
    }

    private final List<String> names;
    private final SortedSet<Arrow> down = new TreeSet<>();
    private final SortedSet<Arrow> up = new TreeSet<>();
    private final int[] floors;

    private Graph(List<String> names, Collection<Arrow> arrows) {
        this.names = names;
        int[] place = places(arrows);
        for (Arrow arrow : arrows) {
            (place[arrow.from] < place[arrow.to] ? down : up).add(arrow);
        }
        // An arrow that closes no circle need not run up, whatever the order says.
        for (Arrow arrow : List.copyOf(up)) {
            if (!reaches(arrow.to, arrow.from)) {
                up.remove(arrow);
                down.add(arrow);
            }
        }
        floors = new int[names.size()];
        Arrays.fill(floors, -1);
        for (int node = 0; node < floors.length; node++) {
            floor(node);
        }
    }

    /** What uses what; who is used need not be among the keys. A use of oneself is none. */
    static Graph of(Map<String, ? extends Collection<String>> uses) {
        SortedMap<String, Integer> numbers = new TreeMap<>();
        uses.forEach((user, used) -> {
            numbers.put(user, 0);
            used.forEach(name -> numbers.put(name, 0));
        });
        List<String> names = List.copyOf(numbers.keySet());
        for (int i = 0; i < names.size(); i++) {
            numbers.put(names.get(i), i);
        }
        SortedSet<Arrow> arrows = new TreeSet<>();
        uses.forEach((user, used) -> used.stream()
                .filter(name -> !name.equals(user))
                .forEach(name -> arrows.add(new Arrow(numbers.get(user), numbers.get(name)))));
        return new Graph(names, arrows);
    }

    List<String> names() {
        return names;
    }

    /** Arrows that run from a floor to a lower one. */
    SortedSet<Arrow> down() {
        return down;
    }

    /** The downward arrows that leave a node. */
    SortedSet<Arrow> downFrom(int node) {
        return from(down, node);
    }

    /** Arrows that run back up. */
    SortedSet<Arrow> up() {
        return up;
    }

    /** The lowest floor, whose nodes use none of the others, is 0. */
    int floor(int node) {
        if (floors[node] < 0) {
            int floor = 0;
            for (Arrow arrow : from(down, node)) {
                floor = Math.max(floor, floor(arrow.to) + 1);
            }
            floors[node] = floor;
        }
        return floors[node];
    }

    int floorCount() {
        return Arrays.stream(floors).max().orElse(-1) + 1;
    }

    String text(Arrow arrow) {
        return names.get(arrow.from) + " -> " + names.get(arrow.to);
    }

    /** Without the arrows that a way of several others implies; for a graph in which none runs up. */
    Graph reduced() {
        List<Arrow> kept = new ArrayList<>();
        for (Arrow arrow : down) {
            boolean implied = false;
            for (Arrow first : from(down, arrow.from)) {
                implied |= first.to != arrow.to && reaches(first.to, arrow.to);
            }
            if (!implied) {
                kept.add(arrow);
            }
        }
        return new Graph(names, kept);
    }

    private static SortedSet<Arrow> from(SortedSet<Arrow> arrows, int node) {
        return arrows.subSet(new Arrow(node, 0), new Arrow(node + 1, 0));
    }

    private boolean reaches(int start, int end) {
        return reaches(start, end, new boolean[names.size()]);
    }

    private boolean reaches(int start, int end, boolean[] seen) {
        if (start == end) {
            return true;
        }
        seen[start] = true;
        for (Arrow arrow : from(down, start)) {
            if (!seen[arrow.to] && reaches(arrow.to, end, seen)) {
                return true;
            }
        }
        return false;
    }

    /** Places in an order, users first, in which few arrows run backwards. */
    private int[] places(Collection<Arrow> arrows) {
        List<Integer> order = greedyOrder(arrows);
        int[][] weight = new int[names.size()][names.size()];
        arrows.forEach(arrow -> weight[arrow.from][arrow.to] = 1);
        boolean better = true;
        while (better) {
            better = false;
            for (int node = 0; node < names.size(); node++) {
                better |= moveToBestPlace(order, node, weight);
            }
        }
        int[] places = new int[names.size()];
        for (int i = 0; i < places.length; i++) {
            places[order.get(i)] = i;
        }
        return places;
    }

    /** After Eades, Lin and Smyth: sinks to the end, sources to the front, else the one that gives most more than it takes. */
    private List<Integer> greedyOrder(Collection<Arrow> arrows) {
        List<Integer> left = new ArrayList<>();
        for (int node = 0; node < names.size(); node++) {
            left.add(node);
        }
        List<Integer> front = new ArrayList<>();
        List<Integer> back = new ArrayList<>();
        while (!left.isEmpty()) {
            int[] out = new int[names.size()];
            int[] in = new int[names.size()];
            for (Arrow arrow : arrows) {
                if (left.contains(arrow.from) && left.contains(arrow.to)) {
                    out[arrow.from]++;
                    in[arrow.to]++;
                }
            }
            Integer best = left.getFirst();
            boolean sink = false;
            for (Integer node : left) {
                if (out[node] == 0) {
                    best = node;
                    sink = true;
                    break;
                }
                if (out[node] - in[node] > out[best] - in[best]) {
                    best = node;
                }
            }
            left.removeAll(List.of(best));
            if (sink) {
                back.addFirst(best);
            } else {
                front.add(best);
            }
        }
        front.addAll(back);
        return front;
    }

    /** Moves a node to where fewest of its arrows run backwards; false if it is there. */
    private static boolean moveToBestPlace(List<Integer> order, int node, int[][] weight) {
        int at = order.indexOf(node);
        int best = at;
        int bestGain = 0;
        int gain = 0;
        for (int i = at - 1; i >= 0; i--) {
            gain += weight[node][order.get(i)] - weight[order.get(i)][node];
            if (gain > bestGain) {
                bestGain = gain;
                best = i;
            }
        }
        gain = 0;
        for (int i = at + 1; i < order.size(); i++) {
            gain += weight[order.get(i)][node] - weight[node][order.get(i)];
            if (gain > bestGain) {
                bestGain = gain;
                best = i;
            }
        }
        order.subList(at, at + 1).clear();
        order.add(best, node);
        return bestGain > 0;
    }
}
