package io.fairlead.cli.perf;

import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Laps;

/** Messages one after the other over Fairlead; the last of them is answered. */
final class FairleadTagStream implements Contestant {
    private final FairleadSide side;
    private final int size;
    private final int window;

    FairleadTagStream(FairleadSide side, int size, int window) {
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
            side.send(size, FairleadSide.TAG);
            side.drain(window - 1);
        }
        side.receive(0, FairleadSide.END_TAG);
        side.drain(0);
        laps.stop(count);
    }

    @Override
    public void follow(long count) {
        for (long i = 0; i < count; i++) {
            side.receive(size, FairleadSide.TAG);
            side.drain(window - 1);
        }
        side.drain(0);
        side.send(0, FairleadSide.END_TAG);
        side.drain(0);
    }

    @Override
    public void close() {
        side.close();
    }
}
