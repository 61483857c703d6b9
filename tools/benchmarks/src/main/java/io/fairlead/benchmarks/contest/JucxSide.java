package io.fairlead.benchmarks.contest;

import io.fairlead.cli.measure.Laps;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Work;

/** The tests over raw JUCX: those of messages, and those of memory as {@code fairlead perf} has them. It spins. */
final class JucxSide extends LinkSide {
    private final JucxLink link;

    JucxSide(JucxLink link) {
        super(link, Idle.SPIN);
        this.link = link;
    }

    @Override
    protected void begin(Work work, boolean leads) {
        if (isOfMessages(work)) {
            super.begin(work, leads);
        } else {
            link.beginMemory(work);
        }
    }

    private static boolean isOfMessages(Work work) {
        return work.test() == PerfTest.TAG_LAT || work.test() == PerfTest.TAG_BW;
    }

    @Override
    protected void lead(Work work, Laps times) {
        if (isOfMessages(work)) {
            super.lead(work, times);
            return;
        }
        link.exchangeKeys();
        times.start();
        switch (work.test()) {
            case PUT_LAT -> link.putBackAndForth(work, times);
            case PUT_BW -> link.put(work);
            default -> link.get(work, times);
        }
        times.stop();
        if (work.test() != PerfTest.PUT_LAT) {
            link.sendEnd();
        }
    }

    @Override
    protected void follow(Work work) {
        if (isOfMessages(work)) {
            super.follow(work);
            return;
        }
        link.exchangeKeys();
        if (work.test() == PerfTest.PUT_LAT) {
            link.putForthAndBack(work);
        } else {
            link.awaitEnd(work.test() != PerfTest.PUT_BW);
        }
    }
}
