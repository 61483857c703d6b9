package io.fairlead.cli.perf;

import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Laps;

/** Puts one after the other over Fairlead, flushed at the end. */
final class FairleadPuts implements Contestant {
    private final FairleadSide side;
    private final int size;
    private final int window;

    FairleadPuts(FairleadSide side, int size, int window) {
        this.side = side;
        this.size = size;
        this.window = window;
    }

    @Override
    public byte[] introduction() {
        return side.introduction();
    }

    @Override
    public void meet(byte[] introduction) {
        side.meet(introduction);
    }

    @Override
    public void lead(long count, Laps laps) {
        laps.start();
        for (long i = 0; i < count; i++) {
            boolean taken;
            do {
                taken = side.posted(side.endpoint()
                        .put(side.memory(), side.outgoing(), size, side.key(), side.incoming(), side.immediate(), 0));
            } while (!taken);
            side.drain(window - 1);
            laps.lap();
        }
        side.drain(0);
        boolean flushing;
        do {
            flushing = side.posted(side.endpoint().flush(side));
        } while (!flushing);
        side.drain(0);
        laps.stop(count);
        side.send(0, FairleadSide.END_TAG);
        side.drain(0);
    }

    /** Makes progress, which a transport without one-sided access needs. */
    @Override
    public void follow(long count) {
        side.receive(0, FairleadSide.END_TAG);
        side.drain(0);
    }

    @Override
    public void close() {
        side.close();
    }
}
