package io.fairlead.benchmarks.rival;

import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Laps;

/** Puts one after the other over JUCX, flushed at the end. */
final class JucxPuts implements Contestant {
    private final JucxSide side;
    private final int size;
    private final int window;

    JucxPuts(JucxSide side, int size, int window) {
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
            side.outstanding++;
            side.endpoint().putNonBlocking(side.outgoing(), size, side.remote(), side.key(), side, JucxSide.HOST);
            side.drain(window - 1);
            laps.lap();
        }
        side.drain(0);
        side.flush();
        side.drain(0);
        laps.stop(count);
        side.send(0, JucxSide.END_TAG);
        side.drain(0);
    }

    @Override
    public void follow(long count) {
        side.receive(0, JucxSide.END_TAG);
        side.drain(0);
    }

    @Override
    public void close() {
        side.close();
    }
}
