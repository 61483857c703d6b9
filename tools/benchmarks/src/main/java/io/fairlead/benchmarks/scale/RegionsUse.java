package io.fairlead.benchmarks.scale;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.cli.measure.Side;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Puts a number to a region, flushes, and gets it back. */
final class RegionsUse implements Side, Completion {
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int SIZE = Long.BYTES;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment outgoing = arena.allocate(SIZE, SIZE);
    private final MemorySegment incoming = arena.allocate(SIZE, SIZE);
    private final FairleadPeer peer;
    private final Endpoint endpoint;
    private final RemoteKey key;
    private final String owned;
    private long number;
    private boolean ended;
    private Status status = Status.OK;

    /**
     * Connects.
     *
     * @param arguments the transport, and how many regions
     * @param address as {@link RegionsOwner#address()}
     */
    RegionsUse(List<String> arguments, String address) {
        peer = new FairleadPeer(Tables.config(arguments.getFirst()));
        String[] words = address.split(" ", 3);
        endpoint = peer.connect(Integer.parseInt(words[0]));
        key = endpoint.unpack(HexFormat.of().parseHex(words[1]));
        owned = words[2];
    }

    /** The regions that are open, and why there are no more. */
    @Override
    public String address() {
        return owned;
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
        FairleadPeer.taken(endpoint.put(outgoing, key, 0, IGNORE));
        ended = false;
        FairleadPeer.taken(endpoint.flush(this));
        await();
    }

    private void get() {
        ended = false;
        FairleadPeer.taken(endpoint.get(incoming, key, 0, this));
        await();
    }

    private void await() {
        while (!ended) {
            peer.advance();
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
        peer.close();
        arena.close();
    }
}
