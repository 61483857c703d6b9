package io.fairlead.cli.perf;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Lines of text to and from the other process, between rounds: during a round no receive for them is posted. */
public final class Dialogue implements Completion, AutoCloseable {
    private static final long TAG = 2;
    private static final int LINE_BYTES_MAX = 64 << 10;
    private static final int SPINS = 10_000;
    private static final long FIRST_PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);
    /** Long enough to leave the processors to others, such as {@code ucx_perftest}, which has its turn meanwhile. */
    private static final long LONGEST_PARK_NS = TimeUnit.MILLISECONDS.toNanos(4);

    private final Worker worker;
    private final Endpoint endpoint;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment outgoing = arena.allocate(LINE_BYTES_MAX, Long.BYTES);
    private final MemorySegment incoming = arena.allocate(LINE_BYTES_MAX, Long.BYTES);
    private boolean ended;
    private Status status = Status.OK;
    private long length;

    Dialogue(Worker worker, Endpoint endpoint) {
        this.worker = worker;
        this.endpoint = endpoint;
    }

    /** Makes progress until a condition holds, with pauses that grow. */
    public static boolean await(Worker worker, BooleanSupplier condition, long limitNs) {
        long start = System.nanoTime();
        long parkNs = FIRST_PARK_NS;
        int spins = 0;
        while (!condition.getAsBoolean()) {
            if (worker.progress() > 0) {
                spins = 0;
                parkNs = FIRST_PARK_NS;
            } else if (++spins > SPINS) {
                if (System.nanoTime() - start > limitNs) {
                    return false;
                }
                // Not Worker.await: what can be waited for in it differs between transports, and here nothing is
                // urgent.
                LockSupport.parkNanos(parkNs);
                parkNs = Math.min(LONGEST_PARK_NS, parkNs * 2);
            }
        }
        return true;
    }

    public void say(String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > LINE_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "line too long: length=" + bytes.length + " bytes, at most " + LINE_BYTES_MAX);
        }
        MemorySegment.copy(bytes, 0, outgoing, ValueLayout.JAVA_BYTE, 0, bytes.length);
        ended = false;
        long posted;
        do {
            posted = endpoint.send(outgoing, 0, bytes.length, TAG, this, 0);
            if (posted < 0 && posted != Endpoint.BACK_PRESSURE) {
                throw gone(Status.of(posted));
            }
            if (posted < 0) {
                worker.progress();
            }
        } while (posted < 0);
        await(worker, () -> ended, Long.MAX_VALUE);
        if (status != Status.OK) {
            throw gone(status);
        }
    }

    /**
     * Waits for a line.
     *
     * @param stop asked now and then
     * @param limitNs how long to wait
     * @return empty if the other side has disconnected or is gone, or this one is to stop
     */
    Optional<String> hear(BooleanSupplier stop, long limitNs) {
        ended = false;
        long posted = endpoint.receive(incoming, TAG, this);
        if (posted < 0) {
            return Optional.empty();
        }
        if (!await(worker, () -> ended || stop.getAsBoolean(), limitNs) || !ended) {
            worker.cancel(posted);
            await(worker, () -> ended, Long.MAX_VALUE);
        }
        if (status != Status.OK) {
            return Optional.empty();
        }
        return Optional.of(
                new String(incoming.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8));
    }

    @Override
    public void completed(Request request) {
        ended = true;
        status = request.status();
        length = request.length();
    }

    private FairleadException gone(Status ending) {
        return endpoint.failure()
                .orElseGet(() -> new FairleadException(
                        Reason.NOT_CONNECTED, ending, "the other side is gone: " + ending + "; start it again"));
    }

    /** Frees the buffers; nothing is posted any more. */
    @Override
    public void close() {
        arena.close();
    }
}
