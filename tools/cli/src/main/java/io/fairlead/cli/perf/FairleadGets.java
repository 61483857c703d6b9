package io.fairlead.cli.perf;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.RemoteKey;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Laps;
import java.lang.foreign.MemorySegment;

/** Gets one after the other over Fairlead. */
final class FairleadGets implements Contestant {
    private final FairleadSide side;
    private final int size;
    private final int window;

    FairleadGets(FairleadSide side, int size, int window) {
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
        Endpoint endpoint = side.endpoint();
        MemorySegment memory = side.memory();
        RemoteKey key = side.key();
        Completion completion = side.immediate();
        laps.start();
        for (long i = 0; i < count; i++) {
            boolean taken;
            do {
                taken = side.posted(endpoint.get(memory, side.outgoing(), size, key, side.incoming(), completion, 0));
            } while (!taken);
            side.drain(window - 1);
            laps.lap();
        }
        side.drain(0);
        laps.stop(count);
        side.send(0, FairleadSide.END_TAG);
        side.drain(0);
    }

    /** Makes progress, which a transport without one-sided access needs. */
    @Override
    public void follow(long count) {
        side.receive(0, FairleadSide.END_TAG);
        side.drainPassively();
    }

    @Override
    public void close() {
        side.close();
    }
}
