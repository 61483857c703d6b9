package io.fairlead.benchmarks.rival;

import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Laps;

/** Messages back and forth over JUCX. */
final class JucxTagPingPong implements Contestant {
    private static final long TAG = 1;

    private final JucxSide side;
    private final int size;

    JucxTagPingPong(JucxSide side, int size) {
        this.side = side;
        this.size = size;
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
            side.receive(size, TAG);
            side.send(size, TAG);
            side.drain(0);
            laps.lap();
        }
        laps.stop(count);
    }

    @Override
    public void follow(long count) {
        for (long i = 0; i < count; i++) {
            side.receive(size, TAG);
            side.drain(0);
            side.send(size, TAG);
        }
        side.drain(0);
    }

    @Override
    public void close() {
        side.close();
    }
}
