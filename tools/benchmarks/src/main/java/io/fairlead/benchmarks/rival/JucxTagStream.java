package io.fairlead.benchmarks.rival;

import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Laps;

/** Messages one after the other over JUCX; the last of them is answered. */
final class JucxTagStream implements Contestant {
    private static final long TAG = 1;

    private final JucxSide side;
    private final int size;
    private final int window;

    JucxTagStream(JucxSide side, int size, int window) {
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
            side.send(size, TAG);
            side.drain(window - 1);
        }
        side.receive(0, JucxSide.END_TAG);
        side.drain(0);
        laps.stop(count);
    }

    @Override
    public void follow(long count) {
        for (long i = 0; i < count; i++) {
            side.receive(size, TAG);
            side.drain(window - 1);
        }
        side.drain(0);
        side.send(0, JucxSide.END_TAG);
        side.drain(0);
    }

    @Override
    public void close() {
        side.close();
    }
}
