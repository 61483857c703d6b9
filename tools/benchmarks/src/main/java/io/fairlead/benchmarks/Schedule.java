package io.fairlead.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What both processes of a comparison do, in the same order: for each size, rounds in which the contestants take turns.
 *
 * @param sizes bytes of a message
 * @param warmUpRounds rounds that are not counted
 * @param rounds rounds that are
 * @param exchanges exchanges of the smallest size in a round; longer messages get fewer
 */
record Schedule(List<Integer> sizes, int warmUpRounds, int rounds, int exchanges) {
    private static final int LONG_MESSAGE = 32 << 10;

    /** Exchanges of a round. */
    int exchanges(int size) {
        return size < LONG_MESSAGE ? exchanges : exchanges / 4;
    }

    String text() {
        return sizes.stream().map(String::valueOf).collect(Collectors.joining(",")) + ":" + warmUpRounds + ":" + rounds
                + ":" + exchanges;
    }

    static Schedule parse(String text) {
        String[] parts = text.split(":", -1);
        return new Schedule(
                Arrays.stream(parts[0].split(",", -1)).map(Integer::valueOf).toList(),
                Integer.parseInt(parts[1]),
                Integer.parseInt(parts[2]),
                Integer.parseInt(parts[3]));
    }
}
