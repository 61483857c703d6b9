package io.fairlead.cli.perf;

import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.FairleadPingPong;
import io.fairlead.cli.measure.Laps;

/** Messages back and forth over Fairlead. */
final class FairleadTagPingPong implements Contestant {
    private final FairleadSide side;
    private final FairleadPingPong pingPong;

    FairleadTagPingPong(FairleadSide side, int size) {
        this.side = side;
        this.pingPong = side.pingPong(size);
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
            pingPong.ask();
            laps.lap();
        }
        laps.stop(count);
    }

    @Override
    public void follow(long count) {
        for (long i = 0; i < count; i++) {
            pingPong.answer();
        }
    }

    @Override
    public void close() {
        pingPong.close();
        side.close();
    }
}
