package io.fairlead.benchmarks.contest;

import org.HdrHistogram.Histogram;

/** The tests, over a link. */
final class LinkSide implements Side {
    private final Link link;
    private final Idle idle;

    LinkSide(Link link, Idle idle) {
        this.link = link;
        this.idle = idle;
    }

    @Override
    public void begin(int size, int outgoing, int incoming, int inFlight) {
        link.begin(size, outgoing, incoming, inFlight);
    }

    @Override
    public void ask(int count, long intervalNs, Histogram times) {
        long startNs = System.nanoTime();
        long nowNs = startNs;
        for (int i = 0; i < count; i++) {
            // One look at the clock ends a round trip and begins the next: two would be a tenth of the shortest.
            long dueNs = intervalNs == 0 ? nowNs : due(startNs + i * intervalNs);
            link.send(i);
            link.flush();
            receive(1);
            nowNs = System.nanoTime();
            times.recordValue(nowNs - dueNs);
        }
    }

    private long due(long dueNs) {
        Pause.until(dueNs, idle);
        return dueNs;
    }

    @Override
    public void answer(int count) {
        for (int i = 0; i < count; i++) {
            receive(1);
            link.send(i);
            link.flush();
        }
        link.finish();
    }

    @Override
    public void stream(int count) {
        for (int i = 0; i < count; i++) {
            link.send(i);
        }
        link.flush();
        link.finish();
    }

    @Override
    public void drain(int count) {
        receive(count);
        link.finish();
    }

    private void receive(int count) {
        int missing = count;
        while (missing > 0) {
            int received = link.poll();
            missing -= received;
            if (received == 0 && idle == Idle.BLOCK) {
                link.await();
            }
        }
    }

    @Override
    public void close() {
        link.close();
    }
}
