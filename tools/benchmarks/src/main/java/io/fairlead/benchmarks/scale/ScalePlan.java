package io.fairlead.benchmarks.scale;

import io.fairlead.cli.measure.Rounds;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How much is measured.
 *
 * @param rounds of each table
 * @param endpoints so many on one worker
 * @param threads so many on one node
 * @param subscribers so many of one topic
 * @param regions so many in one process
 * @param sizes bytes of a message
 * @param processes so many that ask one
 */
record ScalePlan(
        Rounds.Plan rounds,
        List<Integer> endpoints,
        List<Integer> threads,
        List<Integer> subscribers,
        List<Integer> regions,
        List<Integer> sizes,
        List<Integer> processes) {
    private static final int SIZE_STEPS = 10;
    private static final int SIZE_SHIFT = 3;

    /** To see that it works, with fewer processes. */
    static final ScalePlan QUICK = new ScalePlan(
            new Rounds.Plan(3, 40_000_000, 1),
            List.of(1, 1000),
            List.of(1, 4, 16, 64),
            List.of(1, 64),
            List.of(1, 100_000),
            allSizes(),
            List.of(1, 4, 16));

    static final ScalePlan FULL = new ScalePlan(
            new Rounds.Plan(7, 150_000_000, 40),
            List.of(1, 10, 100, 1000),
            List.of(1, 4, 16, 64),
            List.of(1, 4, 16, 64),
            List.of(1, 1000, 100_000),
            allSizes(),
            List.of(1, 4, 16));

    /** 8 B to 1 GiB. */
    private static List<Integer> allSizes() {
        return IntStream.rangeClosed(1, SIZE_STEPS)
                .mapToObj(step -> 1 << (SIZE_SHIFT * step))
                .toList();
    }
}
