package io.fairlead.cli.soak;

import io.fairlead.Endpoint;
import io.fairlead.IdleStrategy;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Operations on a region of a peer, and what the region holds if all of them succeed. They come in batches that a flush ends; those of a batch touch
 * different stripes, so that their order does not matter. For the thread of its worker.
 */
final class MemoryModel implements AutoCloseable {
    private static final int STRIPES = 16;
    private static final int STRIPE = 64 << 10;
    /** The last stripe is for atomics, a word each 64 bytes. */
    private static final long WORDS_AT = (STRIPES - 1L) * STRIPE;

    static final long LENGTH = (long) STRIPES * STRIPE;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final SplittableRandom random;
    private final Worker worker;
    private final Tally tally;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment expected = arena.allocate(LENGTH, Long.BYTES);
    private final MemorySegment local = arena.allocate(LENGTH, Long.BYTES);
    private final IdleStrategy idle = IdleStrategy.backOff();

    private final Endpoint endpoint;
    private final RemoteKey key;
    private final Ends ends;
    /** An operation has failed: what the region holds is unknown from now on. */
    private boolean unknown;

    private int open;
    private long signals;
    /** What the atomic on each word of the batch must return, and has returned. */
    private final long[] due = new long[STRIPES];

    private final boolean[] isGet = new boolean[STRIPES];

    /**
     * Begins with a region of zeros.
     *
     * @param round gives random numbers
     * @param endpoint a connected endpoint
     * @param key the region's
     * @param ends tells of the endpoint's end
     * @param tally what is counted
     */
    MemoryModel(Round round, Endpoint endpoint, RemoteKey key, Ends ends, Tally tally) {
        this.random = round.random("operations");
        this.worker = endpoint.worker();
        this.endpoint = endpoint;
        this.key = key;
        this.ends = ends;
        this.tally = tally;
    }

    /** Whether nothing can be learned any more. */
    boolean isOver() {
        return ends.ended() > 0 || unknown;
    }

    long signals() {
        return signals;
    }

    MemorySegment expected() {
        return expected;
    }

    private void await(BooleanSupplier condition, String what) {
        new Deadline().drive(worker, condition);
        if (!condition.getAsBoolean()) {
            tally.fault("%s hangs: open operations=%d", what, open);
            unknown = true;
        }
    }

    /** Posts a batch, waits for all of it, and compares what was read. */
    void batch() {
        Arrays.fill(isGet, false);
        for (int stripe = 0; stripe < STRIPES - 1 && !isOver(); stripe++) {
            switch (random.nextInt(6)) {
                case 0, 1 -> put(stripe, false);
                case 2 -> put(stripe, true);
                case 3, 4 -> get(stripe);
                default -> atomic(stripe);
            }
        }
        if (!isOver()) {
            post(this::flushed);
        }
        await(() -> open == 0, "a batch");
        for (int stripe = 0; stripe < STRIPES - 1 && !isOver(); stripe++) {
            if (isGet[stripe]) {
                compare((long) stripe * STRIPE, STRIPE);
            }
        }
    }

    private long flushed() {
        return endpoint.flush(this::ended, 0);
    }

    /** An attempt to post; negative if it could not be. */
    private interface Post {
        long attempt();
    }

    private void post(Post post) {
        Deadline deadline = new Deadline();
        long request = post.attempt();
        while (request == Endpoint.BACK_PRESSURE && ends.ended() == 0 && !deadline.isOver()) {
            idle.idle(worker, worker.progress());
            request = post.attempt();
        }
        if (request >= 0) {
            open++;
            tally.count();
        } else {
            if (request == Endpoint.BACK_PRESSURE && ends.ended() == 0) {
                tally.fault("back-pressure does not end: open operations=%d", open);
            }
            tally.countFailure();
            unknown = true;
        }
    }

    private void put(int stripe, boolean withSignal) {
        long at = (long) stripe * STRIPE;
        int length = Long.BYTES * (1 + random.nextInt(random.nextInt(8) == 0 ? STRIPE / Long.BYTES : 32));
        long value = random.nextLong();
        for (int word = 0; word < length; word += Long.BYTES) {
            local.set(WORD, at + word, value + word);
        }
        MemorySegment.copy(local, at, expected, at, length);
        if (withSignal) {
            MemorySegment source = local.asSlice(at, length);
            long signal = signals++;
            post(() -> endpoint.putSignal(source, signal, key, at, this::ended, 0));
        } else {
            post(() -> endpoint.put(local, at, length, key, at, this::ended, 0));
        }
    }

    private void get(int stripe) {
        long at = (long) stripe * STRIPE;
        isGet[stripe] = true;
        post(() -> endpoint.get(local, at, STRIPE, key, at, this::ended, 0));
    }

    private void atomic(int stripe) {
        long at = WORDS_AT + stripe * 64L;
        long operand = random.nextLong();
        long before = expected.get(WORD, at);
        due[stripe] = before;
        int kind = random.nextInt(4);
        long after = switch (kind) {
            case 0 -> before + operand;
            case 1 -> operand;
            case 2 -> before ^ operand;
            default -> operand;
        };
        expected.set(WORD, at, after);
        post(() -> switch (kind) {
            case 0 -> endpoint.fetchAdd(operand, key, at, this::fetched, stripe);
            case 1 -> endpoint.swap(operand, key, at, this::fetched, stripe);
            case 2 -> endpoint.fetchXor(operand, key, at, this::fetched, stripe);
            default -> endpoint.compareAndSwap(before, operand, key, at, this::fetched, stripe);
        });
    }

    private void fetched(Request request) {
        if (request.status() == Status.OK && request.value() != due[(int) request.userData()]) {
            tally.fault(
                    "an atomic returned what was not there: word=%d, value=%d, due=%d",
                    request.userData(), request.value(), due[(int) request.userData()]);
        }
        ended(request);
    }

    private void ended(Request request) {
        open--;
        if (open < 0) {
            tally.fault("an operation completed twice: request=%d, status=%s", request.id(), request.status());
        }
        if (request.status() != Status.OK) {
            tally.countFailure();
            unknown = true;
        }
    }

    private void compare(long at, long length) {
        long mismatch = local.asSlice(at, length).mismatch(expected.asSlice(at, length));
        if (mismatch >= 0) {
            tally.fault("a get returned what was not put: offset=%d", at + mismatch);
        }
    }

    /** Reads the whole region, and compares it. */
    void compareAll() {
        if (isOver()) {
            tally.fault("operations failed although nothing went wrong");
            return;
        }
        post(() -> endpoint.get(local, 0, LENGTH, key, 0, this::ended, 0));
        await(() -> open == 0, "the last get");
        compare(0, LENGTH);
    }

    /** Waits until what is open has completed, and the endpoint has ended. */
    void awaitEnd() {
        await(() -> open == 0 && ends.ended() > 0, "the end");
    }

    /** For use when its worker has closed. */
    @Override
    public void close() {
        arena.close();
    }
}
