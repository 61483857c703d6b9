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
import io.fairlead.cli.measure.FairleadPingPong;
import io.fairlead.cli.measure.PassiveSide;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What every test over Fairlead needs: a worker, a connected endpoint, and two buffers in a region that the other side can reach.
 * An instance is the completion of messages. Operations on memory have an immediate one, as UCX's are; a stream of messages needs progress anyway, for
 * its credits.
 */
final class FairleadSide implements Completion, AutoCloseable {
    static final long TAG = 1;
    /** The tag of the message that ends a round. */
    static final long END_TAG = 3;

    private static final int PAGE = 4096;
    /** More turns than a put to a peer that runs takes. */
    private static final int SPINS = 64;
    /** Operations that may end inside their posts before the worker has a turn, in which it answers its peer's pings. */
    private static final int POSTS_PER_TURN = 1024;

    private final Worker worker;
    private final Endpoint endpoint;
    private final IdleStrategy idle;
    private final PassiveSide passive;
    private final MemoryRegion region;
    private final long bufferBytes;
    private final Completion.Immediate immediate = this::completed;
    private @Nullable RemoteKey key;
    private Status worst = Status.OK;
    private int outstanding;
    private int posts;

    FairleadSide(Worker worker, Endpoint endpoint, IdleStrategy idle, int size) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.idle = idle;
        passive = new PassiveSide(worker::progress, () -> outstanding == 0);
        bufferBytes = (size + PAGE - 1L) / PAGE * PAGE;
        region = worker.context()
                .allocate(2 * bufferBytes, Set.of(AccessRight.READ, AccessRight.WRITE, AccessRight.ATOMIC));
    }

    byte[] introduction() {
        return region.packedKey();
    }

    void meet(byte[] introduction) {
        key = endpoint.unpack(introduction);
    }

    Endpoint endpoint() {
        return endpoint;
    }

    RemoteKey key() {
        if (key == null) {
            throw new IllegalStateException("the other side has not been met");
        }
        return key;
    }

    MemorySegment memory() {
        return region.segment();
    }

    /** The completion of operations on memory. */
    Completion.Immediate immediate() {
        return immediate;
    }

    /** Where what the other side writes or sends arrives; the other side has it at the same offset. */
    long incoming() {
        return 0;
    }

    /** Where what this side writes or sends comes from, and what it reads goes to. */
    long outgoing() {
        return bufferBytes;
    }

    /** Messages one at a time, from and to this side's buffers. */
    FairleadPingPong pingPong(int size) {
        return new FairleadPingPong(
                worker,
                endpoint,
                idle,
                region.segment().asSlice(bufferBytes, size),
                region.segment().asSlice(0, size),
                Arena.ofConfined());
    }

    /** Whether a posting call took the operation on; if not, progress has been made and it is to be posted again. */
    boolean posted(long answer) {
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
        progress();
        return false;
    }

    void progress() {
        idle.idle(worker, worker.progress());
    }

    /**
     * Progress of a loop that watches memory. No event tells of a put without a signal, so that a strategy which sleeps would sleep to its limit:
     * this lets others have the processor, and no more.
     *
     * @param turns how often the loop has looked in vain
     */
    void progressAwake(int turns) {
        if (worker.progress() == 0 && turns > SPINS) {
            Thread.yield();
        }
    }

    /** Returns when at most that many operations are on their way. */
    void drain(int most) {
        while (outstanding > most) {
            idle.idle(worker, worker.progress());
        }
        if (worst != Status.OK) {
            throw broken(worst);
        }
    }

    /** Returns when nothing is on its way, and leaves the processor to the peer where that needs nothing of this side. */
    void drainPassively() {
        passive.await();
        drain(0);
    }

    void send(int size, long tag) {
        boolean taken;
        do {
            taken = posted(endpoint.send(region.segment(), bufferBytes, size, tag, this, 0));
        } while (!taken);
    }

    void receive(int size, long tag) {
        boolean taken;
        do {
            taken = posted(endpoint.receive(region.segment(), 0, size, tag, Worker.FULL_TAG_MASK, this, 0));
        } while (!taken);
    }

    @Override
    public void completed(Request request) {
        outstanding--;
        if (request.status() != Status.OK) {
            worst = request.status();
        }
    }

    /** For loops that wait for something which no completion tells. */
    void checkConnected() {
        if (endpoint.state() != EndpointState.CONNECTED) {
            throw broken(Status.NOT_CONNECTED);
        }
    }

    private FairleadException broken(Status status) {
        return endpoint.failure()
                .orElseGet(() -> new FairleadException(
                        Reason.NOT_CONNECTED,
                        status,
                        "an operation ended " + status + ": the other side is gone; start it again"));
    }

    @Override
    public void close() {
        if (key != null) {
            key.close();
        }
        region.close();
    }
}
