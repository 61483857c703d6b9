package io.fairlead.benchmarks.rival;

import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Laps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Puts back and forth over JUCX: the last byte of the buffer tells one put from the one before. */
final class JucxPutPingPong implements Contestant {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final JucxSide side;
    private final int size;
    private final MemorySegment incoming;
    private final MemorySegment outgoing;
    private byte turn;

    @SuppressWarnings("restricted")
    JucxPutPingPong(JucxSide side, int size) {
        this.side = side;
        this.size = size;
        this.incoming = MemorySegment.ofAddress(side.incoming()).reinterpret(size);
        this.outgoing = MemorySegment.ofAddress(side.outgoing()).reinterpret(size);
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
        outgoing.set(ValueLayout.JAVA_BYTE, size - 1L, turn);
        side.outstanding++;
        side.endpoint().putNonBlocking(side.outgoing(), size, side.remote(), side.key(), side, JucxSide.HOST);
    }

    private void await() {
        while ((byte) BYTE.getVolatile(incoming, size - 1L) != turn) {
            int _ = side.progress();
        }
    }

    @Override
    public void close() {
        side.close();
    }
}
