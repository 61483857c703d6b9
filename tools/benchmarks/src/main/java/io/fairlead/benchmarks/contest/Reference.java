package io.fairlead.benchmarks.contest;

import io.fairlead.cli.perf.Perftest;
import java.io.IOException;

/** UCX's C program, which starts two processes for each turn. It spins. */
final class Reference implements Entrant {
    static final String TITLE = "ucx_perftest";
    private static final int WINDOW = 32;
    private static final int WARM_UP_MAX = 10_000;
    private static final int WARM_UP_SHARE = 10;

    private final Perftest program;

    Reference(Perftest program) {
        this.program = program;
    }

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public Turn turn(Work work) throws IOException {
        boolean asks = work.kind() == Work.Kind.ASK;
        int warmUp = Math.clamp(work.count() / WARM_UP_SHARE, 1, WARM_UP_MAX);
        Perftest.Figures figures =
                program.run(asks ? "tag_lat" : "tag_bw", work.size(), asks ? 1 : WINDOW, work.count(), warmUp);
        // It prints halves.
        return asks
                ? new Turn(figures.rate() / 2, 2 * figures.medianUs(), 0, 0, 0)
                : new Turn(figures.rate(), 0, 0, 0, 0);
    }

    /** It is compiled. */
    @Override
    public void rest() {}

    /** Its processes end with each turn. */
    @Override
    public void close() {}
}
