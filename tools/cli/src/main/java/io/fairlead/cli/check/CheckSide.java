package io.fairlead.cli.check;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.perf.Dialogue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/** One side of the contract of {@code fairlead rdma-check}: operations from their post to their end, and two buffers for them. */
final class CheckSide implements AutoCloseable {
    /** The longest message, and the length of the region: beyond what any transport sends ahead of a receive. */
    static final int LENGTH_MAX = 1 << 20;

    static final long TAG = 64;

    private static final int PAGE = 4096;
    private static final long LIMIT_S = 60;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment out = arena.allocate(LENGTH_MAX, PAGE);
    private final MemorySegment in = arena.allocate(LENGTH_MAX, PAGE);
    private final Worker worker;
    private final Endpoint endpoint;

    /** Posts one operation. */
    interface Posting {
        long post(Completion completion);
    }

    /** How an operation has ended; with the status alone if it was not even started. */
    record Outcome(Status status, long length, long value) {}

    /** An operation on its way. */
    static final class Pending implements Completion {
        private boolean ended;
        private Outcome outcome = new Outcome(Status.OK, 0, 0);

        boolean ended() {
            return ended;
        }

        @Override
        public void completed(Request request) {
            end(new Outcome(request.status(), request.length(), request.value()));
        }

        private void end(Outcome how) {
            ended = true;
            outcome = how;
        }
    }

    CheckSide(Worker worker, Endpoint endpoint) {
        this.worker = worker;
        this.endpoint = endpoint;
    }

    MemorySegment out() {
        return out;
    }

    MemorySegment in() {
        return in;
    }

    /** Posts an operation, again while there is back-pressure. */
    Pending start(Posting posting) {
        Pending pending = new Pending();
        long answer = posting.post(pending);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (answer == Endpoint.BACK_PRESSURE && System.nanoTime() - deadline < 0) {
            worker.progress();
            answer = posting.post(pending);
        }
        if (answer < 0) {
            pending.end(new Outcome(Status.of(answer), 0, 0));
        }
        return pending;
    }

    Outcome await(String what, Pending pending) {
        if (!Dialogue.await(worker, pending::ended, TimeUnit.SECONDS.toNanos(LIMIT_S))) {
            throw CommandFailure.failed(what + " did not end within " + LIMIT_S + " s");
        }
        return pending.outcome;
    }

    /** Waits until an operation ends as it should. */
    Outcome awaitOk(String what, Pending pending) {
        Outcome outcome = await(what, pending);
        if (outcome.status() != Status.OK) {
            throw CommandFailure.failed(what + " ended with " + outcome.status()
                    + endpoint.failure().map(cause -> ": " + cause.getMessage()).orElse(""));
        }
        return outcome;
    }

    Outcome complete(String what, Posting posting) {
        return awaitOk(what, start(posting));
    }

    Pending receive(long length) {
        return start(done -> endpoint.receive(in, 0, length, TAG, Worker.FULL_TAG_MASK, done, 0));
    }

    void send(MemorySegment buffer, long length) {
        complete("send", done -> endpoint.send(buffer, 0, length, TAG, done, 0));
    }

    /** Bytes that differ at each offset and for each seed. */
    static void fill(MemorySegment buffer, long length, long seed) {
        for (long at = 0; at < length; at++) {
            buffer.set(ValueLayout.JAVA_BYTE, at, pattern(at, seed));
        }
    }

    static void verify(MemorySegment buffer, long length, long seed) {
        for (long at = 0; at < length; at++) {
            byte found = buffer.get(ValueLayout.JAVA_BYTE, at);
            if (found != pattern(at, seed)) {
                throw CommandFailure.failed("wrong content: offset=" + at + ", length=" + length + ", found=" + found
                        + ", expected=" + pattern(at, seed));
            }
        }
    }

    private static byte pattern(long at, long seed) {
        return (byte) (at * 31 + (at >>> 8) + seed);
    }

    /** Frees the buffers, after the close of the endpoint, so that nothing uses them any more. */
    @Override
    public void close() {
        arena.close();
    }
}
