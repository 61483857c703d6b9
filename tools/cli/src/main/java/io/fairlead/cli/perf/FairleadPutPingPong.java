package io.fairlead.cli.perf;

import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Laps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Puts back and forth over Fairlead: the last byte of the buffer tells one put from the one before. */
final class FairleadPutPingPong implements Contestant {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    /** How often a side that waits looks whether the other is still there. */
    private static final int CHECK_TURNS = 1 << 16;

    private final FairleadSide side;
    private final int size;
    private final MemorySegment memory;
    private final long incomingLast;
    private final long outgoingLast;
    private byte turn;

    FairleadPutPingPong(FairleadSide side, int size) {
        this.side = side;
        this.size = size;
        this.memory = side.memory();
        this.incomingLast = side.incoming() + size - 1;
        this.outgoingLast = side.outgoing() + size - 1;
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
            turn++;
            put();
            await();
            laps.lap();
        }
        side.drain(0);
        laps.stop(count);
    }

    @Override
    public void follow(long count) {
        for (long i = 0; i < count; i++) {
            turn++;
            await();
            put();
        }
        side.drain(0);
    }

    private void put() {
        // The source may change only once the put before has taken it.
        side.drain(0);
        memory.set(ValueLayout.JAVA_BYTE, outgoingLast, turn);
        boolean taken;
        do {
            taken = side.posted(side.endpoint()
                    .put(memory, side.outgoing(), size, side.key(), side.incoming(), side.immediate(), 0));
        } while (!taken);
    }

    private void await() {
        int turns = 0;
        while ((byte) BYTE.getVolatile(memory, incomingLast) != turn) {
            side.progressAwake(turns);
            if (++turns % CHECK_TURNS == 0) {
                side.checkConnected();
            }
        }
    }

    @Override
    public void close() {
        side.close();
    }
}
