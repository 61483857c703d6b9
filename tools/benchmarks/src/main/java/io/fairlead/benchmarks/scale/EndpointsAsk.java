package io.fairlead.benchmarks.scale;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.benchmarks.contest.FairleadPeer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Asks on the first of its endpoints, while all others are idle. */
final class EndpointsAsk extends WorkerSide implements Completion {
    /** Handshakes at a time: fewer than a listener takes of one address. */
    private static final int BATCH = 32;

    private static final int WARM_UP = 10_000;
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment outgoing = arena.allocate(EndpointsAnswer.SIZE, EndpointsAnswer.SIZE);
    private final MemorySegment incoming = arena.allocate(EndpointsAnswer.SIZE, EndpointsAnswer.SIZE);
    private final Endpoint active;
    private final String bytesEach;
    private long number;
    private boolean ended = true;
    private Status status = Status.OK;

    /**
     * Connects.
     *
     * @param arguments the transport, and how many endpoints
     * @param address the port
     */
    EndpointsAsk(List<String> arguments, Optional<String> address) {
        super(arguments.getFirst());
        int port = Integer.parseInt(address.orElseThrow());
        int count = Integer.parseInt(arguments.get(1));
        active = connect(port);
        // What the JVM makes of its code is there before memory is looked at.
        ask(WARM_UP, new Histogram(LONGEST_NS, 3));
        connectAndLeave(port);
        OptionalLong before = Memory.used();
        connect(port, count - 1);
        ask(WARM_UP, new Histogram(LONGEST_NS, 3));
        OptionalLong after = Memory.used();
        bytesEach = count > 1 && before.isPresent() && after.isPresent()
                ? String.valueOf((after.getAsLong() - before.getAsLong()) / (count - 1))
                : "";
    }

    /** A connection that ends at once loads what connecting in batches needs. */
    private void connectAndLeave(int port) {
        Endpoint brief = connect(port);
        brief.close();
        await("an end", () -> brief.state() == EndpointState.CLOSED || brief.state() == EndpointState.FAILED);
    }

    private void connect(int port, int count) {
        List<Endpoint> idle = new ArrayList<>();
        try {
            while (idle.size() < count) {
                List<Endpoint> batch = new ArrayList<>();
                for (int i = 0; i < Math.min(BATCH, count - idle.size()); i++) {
                    batch.add(worker.connect(FairleadPeer.loopback(port), EndpointHandler.NONE));
                }
                await(
                        "connections",
                        () -> batch.stream().noneMatch(endpoint -> endpoint.state() == EndpointState.CONNECTING));
                for (Endpoint endpoint : batch) {
                    endpoint.failure().ifPresent(failure -> {
                        throw failure;
                    });
                    idle.add(endpoint);
                }
            }
        } catch (FairleadException | OutOfMemoryError limit) {
            throw new IllegalStateException(
                    "stopped at " + (idle.size() + 1) + " endpoints: " + limit.getMessage(), limit);
        }
    }

    /** The bytes of each idle endpoint; nothing where that is not known. */
    @Override
    public String address() {
        return bytesEach;
    }

    @Override
    public String turn(String line, Runnable begun) {
        Histogram times = new Histogram(LONGEST_NS, 3);
        int count = Integer.parseInt(line);
        long startNs = System.nanoTime();
        ask(count, times);
        return (System.nanoTime() - startNs) + " " + times.getValueAtPercentile(50);
    }

    private void ask(int count, Histogram times) {
        for (int i = 0; i < count; i++) {
            long startNs = System.nanoTime();
            number++;
            ended = false;
            taken(active.receive(incoming, TAG, this));
            outgoing.set(ValueLayout.JAVA_LONG, 0, number);
            taken(active.send(outgoing, TAG, IGNORE));
            while (!ended) {
                advance();
            }
            check();
            times.recordValue(System.nanoTime() - startNs);
        }
    }

    private void check() {
        if (status != Status.OK) {
            throw active.failure().orElseThrow(() -> new IllegalStateException("a receive ended " + status));
        }
        long found = incoming.get(ValueLayout.JAVA_LONG, 0);
        if (found != EndpointsAnswer.answer(number)) {
            throw new IllegalStateException("another answer than was due: number=" + number + ", found=" + found);
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
