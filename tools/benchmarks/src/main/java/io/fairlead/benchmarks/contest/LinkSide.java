package io.fairlead.benchmarks.contest;

import io.fairlead.cli.measure.Laps;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Work;
import io.fairlead.cli.measure.WorkSide;
import java.util.concurrent.locks.LockSupport;

/** The tests of messages, over a link. */
public class LinkSide extends WorkSide {
    /** Sleeping ends about as late as this. */
    private static final long LATE_NS = 60_000;

    private final Link link;
    private final Idle idle;

    public LinkSide(Link link, Idle idle) {
        this.link = link;
        this.idle = idle;
    }

    @Override
    public String address() {
        return link.address();
    }

    @Override
    public void awaitPeer() {
        link.awaitPeer();
    }

    @Override
    protected void begin(Work work, boolean leads) {
        boolean asks = work.test() == PerfTest.TAG_LAT;
        // As many as fit the buffers, where they are not to be as many as those of others.
        int inFlight = asks ? 1 : work.numbered() ? Integer.MAX_VALUE : work.window();
        link.begin(work, leads || asks ? work.count() : 0, !leads || asks ? work.count() : 0, inFlight);
    }

    @Override
    protected void lead(Work work, Laps times) {
        times.start();
        if (work.test() == PerfTest.TAG_LAT) {
            ask(work, times);
        } else {
            for (int i = 0; i < work.count(); i++) {
                link.send(i);
            }
            link.flush();
        }
        times.stop();
    }

    private void ask(Work work, Laps times) {
        for (int i = 0; i < work.count(); i++) {
            long dueNs = times.startNs() + i * work.intervalNs();
            if (work.intervalNs() > 0) {
                awaitDue(dueNs, idle);
            }
            link.send(i);
            link.flush();
            receive(1);
            if (work.intervalNs() > 0) {
                times.record(System.nanoTime() - dueNs);
            } else {
                times.lap();
            }
        }
    }

    /** Waits for the time at which a message is due. */
    static void awaitDue(long dueNs, Idle idle) {
        for (long left = dueNs - System.nanoTime(); left > 0; left = dueNs - System.nanoTime()) {
            if (idle == Idle.BLOCK && left > LATE_NS) {
                LockSupport.parkNanos(left - LATE_NS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    protected void follow(Work work) {
        if (work.test() == PerfTest.TAG_LAT) {
            for (int i = 0; i < work.count(); i++) {
                receive(1);
                link.send(i);
                link.flush();
            }
        } else {
            receive(work.count());
        }
    }

    private void receive(int count) {
        int missing = count;
        while (missing > 0) {
            int received = link.poll();
            missing -= received;
            if (received == 0 && idle != Idle.SPIN) {
                link.await();
            }
        }
    }

    @Override
    protected void finish() {
        link.finish();
    }

    @Override
    public void close() {
        link.close();
    }
}
