package io.fairlead.cli.perf;

import io.fairlead.cli.measure.Allocations;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Laps;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Leads in this process, by its connection to the server. */
final class LocalLeader implements Leader {
    private static final double NS_PER_SECOND = 1e9;
    /** Stands for the lanes of a contestant that has none to be told. */
    private static final String NO_LANES = "-";

    private final PerfConnection connection;
    private final String subject;
    private final String lanes;
    private final Function<PerfCase, Optional<Contestant>> contestants;
    private @Nullable Test open;

    private record Test(PerfCase perfCase, Contestant contestant, Laps laps) {
        static Test of(PerfCase perfCase, Contestant contestant, int batch) {
            PerfTest test = perfCase.test();
            // A rate needs no time of single operations, and reading the clock for each would be a good part of a short
            // one.
            boolean isRate = test.kind() == PerfTest.Kind.RATE;
            return new Test(perfCase, contestant, new Laps(isRate ? Integer.MAX_VALUE : batch, test.trips()));
        }
    }

    private LocalLeader(
            PerfConnection connection,
            String subject,
            String lanes,
            Function<PerfCase, Optional<Contestant>> contestants) {
        this.connection = connection;
        this.subject = subject;
        this.lanes = lanes;
        this.contestants = contestants;
    }

    /** Leads Fairlead over the connection itself. */
    static LocalLeader fairlead(PerfConnection connection) {
        return new LocalLeader(
                connection, PerfServer.FAIRLEAD, NO_LANES, perfCase -> Optional.of(connection.contestant(perfCase)));
    }

    /**
     * Leads a rival, which the connection only tells the other side of.
     *
     * @param rival open for as long as this is used
     * @param lanes for the other side, to open the rival with
     */
    static LocalLeader rival(PerfConnection connection, String name, String lanes, Rival rival) {
        return new LocalLeader(
                connection,
                name,
                lanes,
                perfCase -> rival.contestant(perfCase.test(), perfCase.size(), perfCase.window()));
    }

    @Override
    public String subject() {
        return subject;
    }

    @Override
    public boolean open(PerfCase perfCase) {
        Optional<Contestant> made = contestants.apply(perfCase);
        if (made.isEmpty()) {
            return false;
        }
        Contestant contestant = made.get();
        try {
            meet(perfCase, contestant);
        } catch (RuntimeException failed) {
            contestant.close();
            throw failed;
        }
        open = Test.of(perfCase, contestant, 1);
        return true;
    }

    private void meet(PerfCase perfCase, Contestant contestant) {
        String answer = connection.ask(String.join(
                " ",
                "open",
                subject,
                perfCase.test().label(),
                String.valueOf(perfCase.size()),
                String.valueOf(perfCase.window()),
                lanes,
                Base64.getEncoder().encodeToString(contestant.introduction())));
        contestant.meet(Base64.getDecoder().decode(answer.split(" ", -1)[1]));
    }

    private Test open() {
        if (open == null) {
            throw new IllegalStateException("no test is open");
        }
        return open;
    }

    @Override
    public void time(int batch) {
        open = Test.of(open().perfCase(), open().contestant(), batch);
    }

    @Override
    public Round round(long count) {
        Contestant contestant = open().contestant();
        Laps laps = open().laps();
        connection.ask("run " + count);
        long before = Allocations.ofThisThread();
        contestant.lead(count, laps);
        long allocated = Allocations.ofThisThread() - before;
        long allocatedThere = Long.parseLong(connection.hear().split(" ", -1)[1]);
        laps.keep();
        boolean isRate = open().perfCase().test().kind() == PerfTest.Kind.RATE;
        return new Round(
                isRate ? 0 : laps.medianUs(),
                laps.meanUs(),
                count * NS_PER_SECOND / laps.tookNs(),
                Math.max(allocated, allocatedThere));
    }

    @Override
    public Percentiles percentiles() {
        Laps laps = open().laps();
        return new Percentiles(
                laps.percentileUs(90), laps.percentileUs(99), laps.percentileUs(99.9), laps.percentileUs(100));
    }

    @Override
    public void end() {
        connection.ask("close");
        open().contestant().close();
        open = null;
    }
}
