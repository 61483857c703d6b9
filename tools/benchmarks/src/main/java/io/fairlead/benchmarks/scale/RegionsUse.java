package io.fairlead.benchmarks.scale;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Puts a number to a region, flushes, and gets it back. */
final class RegionsUse implements Role, Completion {
    static final String NAME = "regions-use";
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int SIZE = Long.BYTES;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment outgoing = arena.allocate(SIZE, SIZE);
    private final MemorySegment incoming = arena.allocate(SIZE, SIZE);
    private final WorkerSide side;
    private final Endpoint endpoint;
    private final RemoteKey key;
    private long number;
    private boolean ended;
    private Status status = Status.OK;

    /**
     * Connects.
     *
     * @param arguments the transport, the port, and the key of the region
     */
    RegionsUse(List<String> arguments) {
        side = new WorkerSide(arguments.getFirst());
        endpoint = side.connect(Integer.parseInt(arguments.get(1)));
        key = endpoint.unpack(HexFormat.of().parseHex(arguments.get(2)));
    }

    @Override
    public String introduction() {
        return "";
    }

    /** How long it took in all, and the medians of a put with its flush and of a get, in nanoseconds. */
    @Override
    public String turn(List<String> words) {
        int count = Integer.parseInt(words.getFirst());
        Histogram puts = new Histogram(LONGEST_NS, 3);
        Histogram gets = new Histogram(LONGEST_NS, 3);
        long startNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long putNs = System.nanoTime();
            put(++number);
            long getNs = System.nanoTime();
            puts.recordValue(getNs - putNs);
            get();
            gets.recordValue(System.nanoTime() - getNs);
            long found = incoming.get(ValueLayout.JAVA_LONG, 0);
            if (found != number) {
                throw new IllegalStateException("another number than was put: put=" + number + ", found=" + found);
            }
        }
        return (System.nanoTime() - startNs) + " " + puts.getValueAtPercentile(50) + " "
                + gets.getValueAtPercentile(50);
    }

    private void put(long value) {
        outgoing.set(ValueLayout.JAVA_LONG, 0, value);
        WorkerSide.taken(endpoint.put(outgoing, key, 0, IGNORE));
        ended = false;
        WorkerSide.taken(endpoint.flush(this));
        await();
    }

    private void get() {
        ended = false;
        WorkerSide.taken(endpoint.get(incoming, key, 0, this));
        await();
    }

    private void await() {
        while (!ended) {
            side.turn();
        }
        if (status != Status.OK) {
            throw endpoint.failure().orElseThrow(() -> new IllegalStateException("an operation ended " + status));
        }
    }

    @Override
    public void completed(Request request) {
        ended = true;
        status = request.status();
    }

    @Override
    public void rest() {
        side.rest();
    }

    @Override
    public void wake() {
        side.worker.wakeup();
    }

    @Override
    public void close() {
        side.close();
        arena.close();
    }
}
