package io.fairlead.benchmarks;

import io.fairlead.benchmarks.rival.Contestant;
import io.fairlead.benchmarks.rival.Laps;

/** Messages back and forth over Fairlead, from and to memory as it comes. */
final class FairleadTagPingPong implements Contestant {
    private static final byte[] NOTHING = {};

    private final FairleadPingPong pingPong;

    FairleadTagPingPong(FairleadPingPong pingPong) {
        this.pingPong = pingPong;
    }

    /** Messages need no key. */
    @Override
    public byte[] introduction() {
        return NOTHING;
    }

    @Override
    public void meet(byte[] introduction) {}

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
    }
}
