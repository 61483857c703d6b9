package io.fairlead.cli.perf;

import io.fairlead.AccessRight;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.IdleStrategy;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.cli.measure.Laps;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Work;
import io.fairlead.cli.measure.WorkSide;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The tests over Fairlead, on a connection: as in {@code ucx_perftest}, messages and operations come from one buffer and go to one, both in a region
 * that the other side can reach. Each test has loops of its own: a loop that several share would pay for the JVM's guess at which of them it serves.
 * An instance is the completion of messages. Operations on memory have an immediate one, as UCX's are; a stream of messages needs progress anyway,
 * for its credits.
 */
final class FairleadSide extends WorkSide implements Completion {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final long TAG = 1;
    /** The tag of the message that ends a turn. */
    private static final long END_TAG = 3;

    private static final long KEY_TAG = 4;
    private static final int KEY_BYTES_MAX = 16 << 10;
    private static final int PAGE = 4096;
    /** More turns than a put to a peer that runs takes. */
    private static final int SPINS = 64;
    /** Operations that may end inside their posts before the worker has a turn, in which it answers its peer's pings. */
    private static final int POSTS_PER_TURN = 1024;
    /** How often a side that waits for a put checks whether the other is still there. */
    private static final int CHECK_TURNS = 1 << 16;

    private static final int IDLE_TURNS = 100;
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Worker worker;
    private final Endpoint endpoint;
    private final IdleStrategy idle;
    private final Completion.Immediate immediate = this::completed;
    private @Nullable Work current;
    private @Nullable MemoryRegion region;
    private @Nullable RemoteKey key;
    private MemorySegment memory = MemorySegment.NULL;
    /** Where what this side sends comes from, and what it gets goes to; what the other side sends arrives at 0. */
    private long outgoing;

    private Status worst = Status.OK;
    private int outstanding;
    private int posts;
    /** The last byte of a put, by which it differs from the one before. */
    private byte turn;

    private long keyLength;

    FairleadSide(Worker worker, Endpoint endpoint, IdleStrategy idle) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.idle = idle;
    }

    @Override
    protected void begin(Work work, boolean leads) {
        if (current == null || !work.isLike(current)) {
            release();
            outgoing = (work.size() + PAGE - 1L) / PAGE * PAGE;
            region = worker.context()
                    .allocate(2 * outgoing, Set.of(AccessRight.READ, AccessRight.WRITE, AccessRight.ATOMIC));
            memory = region.segment();
            turn = 0;
            current = work;
        }
        if (!leads && work.test() == PerfTest.TAG_LAT) {
            receive(work.size(), TAG);
        }
    }

    @Override
    protected void lead(Work work, Laps laps) {
        exchangeKeys(work);
        laps.start();
        switch (work.test()) {
            case TAG_LAT -> ask(work, laps);
            case TAG_BW -> stream(work);
            case PUT_LAT -> putBackAndForth(work, laps);
            case PUT_BW -> put(work);
            case GET_LAT, GET_BW -> get(work, laps);
            case FADD -> add(work, laps);
        }
        laps.stop();
        switch (work.test()) {
            case PUT_BW, GET_LAT, GET_BW, FADD -> send(0, END_TAG);
            default -> {
                // The other side counts.
            }
        }
        drain(0);
    }

    /** Where the other side works alone, this one makes progress, which a transport without one-sided access needs. */
    @Override
    protected void follow(Work work) {
        exchangeKeys(work);
        switch (work.test()) {
            case TAG_LAT -> answer(work);
            case TAG_BW -> receiveAll(work);
            case PUT_LAT -> putForthAndBack(work);
            case PUT_BW, FADD -> receive(0, END_TAG);
            case GET_LAT, GET_BW -> {
                receive(0, END_TAG);
                awaitPassively();
            }
        }
        drain(0);
    }

    private void ask(Work work, Laps laps) {
        for (int i = 0; i < work.count(); i++) {
            post(work.size());
            // While the message is on its way, as ucx_perftest does.
            expect(work.size());
            drain(0);
            laps.lap();
        }
    }

    /** The first receive was posted before the leading side began. */
    private void answer(Work work) {
        for (int i = 0; i < work.count(); i++) {
            drain(0);
            post(work.size());
            if (i + 1 < work.count()) {
                expect(work.size());
            }
        }
    }

    private void post(int size) {
        while (endpoint.send(memory, outgoing, size, TAG, IGNORE, 0) < 0) {
            if (endpoint.failure().isPresent()) {
                throw endpoint.failure().get();
            }
            worker.progress();
        }
    }

    private void expect(int size) {
        long id = endpoint.receive(memory, 0, size, TAG, Worker.FULL_TAG_MASK, this, 0);
        if (id < 0) {
            throw broken(Status.of(id));
        }
        outstanding++;
    }

    private void stream(Work work) {
        for (int i = 0; i < work.count(); i++) {
            send(work.size(), TAG);
            drain(work.window() - 1);
        }
        receive(0, END_TAG);
        drain(0);
    }

    private void receiveAll(Work work) {
        for (int i = 0; i < work.count(); i++) {
            receive(work.size(), TAG);
            drain(work.window() - 1);
        }
        drain(0);
        send(0, END_TAG);
    }

    private void send(int size, long tag) {
        boolean taken;
        do {
            taken = posted(endpoint.send(memory, outgoing, size, tag, this, 0));
        } while (!taken);
    }

    private void receive(int size, long tag) {
        boolean taken;
        do {
            taken = posted(endpoint.receive(memory, 0, size, tag, Worker.FULL_TAG_MASK, this, 0));
        } while (!taken);
    }

    private void putBackAndForth(Work work, Laps laps) {
        RemoteKey remote = key();
        for (int i = 0; i < work.count(); i++) {
            turn++;
            putTurn(work.size(), remote);
            awaitTurn(work.size() - 1L);
            laps.lap();
        }
        drain(0);
    }

    private void putForthAndBack(Work work) {
        RemoteKey remote = key();
        for (int i = 0; i < work.count(); i++) {
            turn++;
            awaitTurn(work.size() - 1L);
            putTurn(work.size(), remote);
        }
    }

    private void putTurn(int size, RemoteKey remote) {
        // The source may change only once the put before has taken it.
        drain(0);
        memory.set(ValueLayout.JAVA_BYTE, outgoing + size - 1, turn);
        boolean taken;
        do {
            taken = posted(endpoint.put(memory, outgoing, size, remote, 0, immediate, 0));
        } while (!taken);
    }

    /** No event reports a put without a signal, so a strategy that sleeps would sleep to its limit: this only yields the processor. */
    private void awaitTurn(long last) {
        int turns = 0;
        while ((byte) BYTE.getVolatile(memory, last) != turn) {
            if (worker.progress() == 0 && turns > SPINS) {
                Thread.yield();
            }
            if (++turns % CHECK_TURNS == 0 && endpoint.state() != EndpointState.CONNECTED) {
                throw broken(Status.NOT_CONNECTED);
            }
        }
    }

    private void put(Work work) {
        RemoteKey remote = key();
        for (int i = 0; i < work.count(); i++) {
            boolean taken;
            do {
                taken = posted(endpoint.put(memory, outgoing, work.size(), remote, 0, immediate, 0));
            } while (!taken);
            drain(work.window() - 1);
        }
        drain(0);
        boolean flushing;
        do {
            flushing = posted(endpoint.flush(this));
        } while (!flushing);
        drain(0);
    }

    private void get(Work work, Laps laps) {
        RemoteKey remote = key();
        for (int i = 0; i < work.count(); i++) {
            boolean taken;
            do {
                taken = posted(endpoint.get(memory, outgoing, work.size(), remote, 0, immediate, 0));
            } while (!taken);
            drain(work.window() - 1);
            laps.lap();
        }
        drain(0);
    }

    private void add(Work work, Laps laps) {
        RemoteKey remote = key();
        for (int i = 0; i < work.count(); i++) {
            boolean taken;
            do {
                taken = posted(endpoint.fetchAdd(1, remote, 0, immediate));
            } while (!taken);
            drain(work.window() - 1);
            laps.lap();
        }
        drain(0);
    }

    /** Before the first operation on memory, each side sends the key of its region. */
    private void exchangeKeys(Work work) {
        if (key != null || region == null || work.test() == PerfTest.TAG_LAT || work.test() == PerfTest.TAG_BW) {
            return;
        }
        byte[] mine = region.packedKey();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sent = arena.allocate(mine.length).copyFrom(MemorySegment.ofArray(mine));
            MemorySegment received = arena.allocate(KEY_BYTES_MAX);
            boolean taken;
            do {
                taken = posted(endpoint.receive(received, KEY_TAG, request -> {
                    keyLength = request.length();
                    completed(request);
                }));
            } while (!taken);
            do {
                taken = posted(endpoint.send(sent, KEY_TAG, this));
            } while (!taken);
            drain(0);
            key = endpoint.unpack(received.asSlice(0, keyLength).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private RemoteKey key() {
        if (key == null) {
            throw new IllegalStateException("the keys have not been exchanged");
        }
        return key;
    }

    /** Whether a posting call took the operation; if not, progress has been made and it is to be posted again. */
    private boolean posted(long answer) {
        if (answer > 0) {
            outstanding++;
            if (++posts % POSTS_PER_TURN == 0) {
                int _ = worker.progress();
            }
            return true;
        }
        if (answer != Endpoint.BACK_PRESSURE) {
            throw broken(Status.of(answer));
        }
        idle.idle(worker, worker.progress());
        return false;
    }

    /** Returns when at most that many operations are in flight. */
    private void drain(int most) {
        while (outstanding > most) {
            idle.idle(worker, worker.progress());
        }
        if (worst != Status.OK) {
            throw broken(worst);
        }
    }

    /**
     * As that of {@code ucx_perftest} does, the side whose memory is read looks once a millisecond and sleeps in between, so that it takes no processor
     * from the other. Not every transport leaves it out, though: it begins to sleep after a millisecond without work.
     */
    private void awaitPassively() {
        long workedNs = System.nanoTime();
        while (outstanding > 0) {
            if (worker.progress() > 0) {
                workedNs = System.nanoTime();
            } else if (System.nanoTime() - workedNs > LOOK_NS) {
                LockSupport.parkNanos(LOOK_NS);
            }
        }
    }

    @Override
    protected void finish() {
        for (int turns = 0; turns < IDLE_TURNS; ) {
            turns = worker.progress() == 0 ? turns + 1 : 0;
        }
    }

    @Override
    public void completed(Request request) {
        outstanding--;
        if (request.status() != Status.OK) {
            worst = request.status();
        }
    }

    private FairleadException broken(Status status) {
        return endpoint.failure()
                .orElseGet(() -> new FairleadException(
                        Reason.NOT_CONNECTED,
                        status,
                        "an operation ended " + status + ": the other side is gone; start it again"));
    }

    private void release() {
        if (key != null) {
            key.close();
            key = null;
        }
        if (region != null) {
            region.close();
            region = null;
        }
    }

    /** Frees the buffers; the endpoint is closed before, so that no operation is posted any more. */
    @Override
    public void close() {
        release();
    }
}
