package io.fairlead.cli.measure;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.IdleStrategy;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Tagged messages on the worker API, with progress made in a loop. */
public final class FairleadPingPong implements PingPong, Completion {
    /** Makes progress in a loop that has nothing else in it. */
    public static final IdleStrategy BARE_LOOP = (worker, events) -> {};

    public static final long TAG = 1;

    private final Arena arena;
    private final Worker worker;
    private final Endpoint endpoint;
    private final IdleStrategy idle;
    private final MemorySegment outgoing;
    private final MemorySegment incoming;
    private long expected;
    /** No receive is posted. */
    private boolean ended = true;

    private Status status = Status.OK;

    /** On memory of its own, which is in no region. */
    public FairleadPingPong(Worker worker, Endpoint endpoint, int size, IdleStrategy idle) {
        this(worker, endpoint, size, idle, Arena.ofConfined());
    }

    private FairleadPingPong(Worker worker, Endpoint endpoint, int size, IdleStrategy idle, Arena arena) {
        this(worker, endpoint, idle, arena.allocate(size, 64), arena.allocate(size, 64), arena);
    }

    /** On memory of the caller's; the arena is closed with this, whatever is in it. */
    public FairleadPingPong(
            Worker worker,
            Endpoint endpoint,
            IdleStrategy idle,
            MemorySegment outgoing,
            MemorySegment incoming,
            Arena arena) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.idle = idle;
        this.outgoing = outgoing;
        this.incoming = incoming;
        this.arena = arena;
        expect();
    }

    @Override
    public void ask() {
        send();
        // While the message is on its way, as ucx_perftest does.
        expect();
        await();
    }

    @Override
    public void answer() {
        // The receive is there since the last answer, and may have its message: the asking side can be quicker than
        // settle().
        await();
        send();
        expect();
    }

    private void send() {
        while (endpoint.send(outgoing, TAG, IGNORE) < 0) {
            if (endpoint.failure().isPresent()) {
                throw endpoint.failure().get();
            }
            worker.progress();
        }
    }

    private void await() {
        while (!ended) {
            idle.idle(worker, worker.progress());
        }
        if (status != Status.OK) {
            throw endpoint.failure().orElseThrow(() -> new IllegalStateException("a receive ended " + status));
        }
    }

    private void expect() {
        if (!ended) {
            return;
        }
        ended = false;
        expected = endpoint.receive(incoming, TAG, this);
        if (expected < 0) {
            throw new IllegalStateException("a receive was not taken: " + Status.of(expected));
        }
    }

    @Override
    public void completed(Request request) {
        ended = true;
        status = request.status();
    }

    @Override
    public void settle() {
        int idle = 0;
        while (idle < 100) {
            idle = worker.progress() == 0 ? idle + 1 : 0;
        }
    }

    /** Withdraws the receive that waits for a message which will not come. */
    @Override
    public void close() {
        worker.cancel(expected);
        while (!ended) {
            worker.progress();
        }
        arena.close();
    }
}
