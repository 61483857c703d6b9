package io.fairlead.benchmarks.contest;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** How soon two new processes of a contestant have their first answer. */
public final class FirstAnswer {
    private static final Work ONE = new Work(Work.Kind.ASK, Payload.WORD, 1, 0);

    private final Contestant contestant;

    private FirstAnswer(Contestant contestant) {
        this.contestant = contestant;
    }

    /**
     * What one pair of processes took.
     *
     * @param sinceStartMs from the start of the connecting process to the first checked answer, as the process that has started it sees it
     * @param insideMs what the connecting process itself took to open the library, to connect, and to have its first answer
     */
    public record Times(double sinceStartMs, double insideMs) {}

    /** Of all contestants whose messages are answered. The first is what ratios are taken to. */
    public static List<FirstAnswer> ofAll() {
        return Arrays.stream(Contestant.values())
                .filter(contestant -> !contestant.leaderListens())
                .filter(contestant -> contestant != Contestant.AERON_IPC_SHARED)
                .filter(contestant -> contestant.cannot(Idle.BLOCK).isEmpty())
                .map(FirstAnswer::new)
                .toList();
    }

    /** As tables have it. */
    public String title() {
        return contestant.title();
    }

    /** How it is set up. */
    public String settings() {
        return contestant.settings();
    }

    /** Why it cannot run here, and what helps. */
    public Optional<String> unavailable() {
        return contestant.unavailable();
    }

    /** Starts both processes, which sleep while they wait, and ends them. */
    public Times measure() throws IOException {
        try (Pair pair = Pair.start(contestant, Idle.BLOCK)) {
            Turn turn = pair.turn(ONE);
            double sinceStartMs = (System.nanoTime() - pair.startedNs()) / 1e6;
            return new Times(sinceStartMs, pair.openedNs() / 1e6 + 1e3 / turn.perSecond());
        }
    }
}
