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
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Puts a number to a region, flushes, and gets it back. */
final class RegionsUse extends WorkerSide implements Completion {
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int SIZE = Long.BYTES;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment outgoing = arena.allocate(SIZE, SIZE);
    private final MemorySegment incoming = arena.allocate(SIZE, SIZE);
    private final Endpoint endpoint;
    private final RemoteKey key;
    private long number;
    private boolean ended;
    private Status status = Status.OK;

    /**
     * Connects.
     *
     * @param arguments the transport
     * @param address the port, and the key of the region
     */
    RegionsUse(List<String> arguments, Optional<String> address) {
        super(arguments.getFirst());
        endpoint = connect(Integer.parseInt(address.orElseThrow().split(" ", -1)[0]));
        key = endpoint.unpack(HexFormat.of().parseHex(address.orElseThrow().split(" ", -1)[1]));
    }

    /** How long it took in all, and the medians of a put with its flush and of a get, in nanoseconds. */
    @Override
    public String turn(String line, Runnable begun) {
        int count = Integer.parseInt(line);
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
        taken(endpoint.put(outgoing, key, 0, IGNORE));
        ended = false;
        taken(endpoint.flush(this));
        await();
    }

    private void get() {
        ended = false;
        taken(endpoint.get(incoming, key, 0, this));
        await();
    }

    private void await() {
        while (!ended) {
            advance();
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
    public void close() {
        super.close();
        arena.close();
    }
}
