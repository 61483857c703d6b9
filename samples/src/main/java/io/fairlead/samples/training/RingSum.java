package io.fairlead.samples.training;

import io.fairlead.Context;
import io.fairlead.Path;
import io.fairlead.PathPolicy;
import io.fairlead.RemoteKey;
import io.fairlead.Worker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Adds up one vector of each worker, so that all of them have the sum: all-reduce in a ring, by put with signal.
 *
 * <p>The vector is cut into as many chunks as there are workers. In each round every worker puts one chunk into the inbox of its right
 * neighbour, with a signal, and takes one out of its own. In the first half of the rounds a chunk collects the numbers of each worker that
 * it comes by; in the second half the finished sums go round. So each worker sends nearly twice its vector, however many they are, and
 * all send at the same time.
 *
 * <p>Order: chunk {@code c} begins at worker {@code c} and goes round once, so its numbers are always added up in the same order,
 * whoever is faster or slower.
 *
 * <p>Flow control: an inbox has slots for two sums, used in turn, and nobody acknowledges anything. A worker that has a sum knows that
 * every other has begun with it, for there are numbers of all in it; and who has begun with a sum has taken everything of the sum
 * before out of its inbox. So what is put for the next sum overwrites nothing that is still to be read.
 *
 * <p>One thread, the worker's.
 */
final class RingSum implements AutoCloseable {
    /** From right to left: the key of the inbox. */
    private static final long INBOX_KEY_TAG = 1;

    private final TrainingLoop loop;
    private final RemoteProcess left;
    private final RemoteProcess right;
    private final int rank;
    private final Chunks chunks;
    private final int rounds;
    private final ChunkSlots inbox;
    /** The chunk that is on its way: what is put must be native memory, and stay as it is until the put has completed. */
    private final MemorySegment outgoing;

    private @Nullable RemoteKey rightInbox;
    /** Counts the chunks that were put, which is also how many were taken. */
    private long number;

    /** Prepares the inbox. A worker that is alone has no neighbours, and nothing to do. */
    RingSum(Context context, TrainingLoop loop, Arena arena, int rank, int workers, int length) {
        this.loop = loop;
        this.rank = rank;
        chunks = new Chunks(length, workers);
        rounds = 2 * (workers - 1);
        inbox = new ChunkSlots(context, Math.max(1, 2 * rounds), chunks.longest());
        outgoing = arena.allocate(chunks.longest() * (long) Float.BYTES, Float.BYTES);
        left = RemoteProcess.worker(loop, arena, (rank + workers - 1) % workers, inbox::signalled);
        right = RemoteProcess.worker(loop, arena, (rank + 1) % workers, signal -> {});
    }

    /** Lets the left neighbour connect, and returns where. */
    InetSocketAddress listen(Worker worker, InetSocketAddress address) {
        return worker.listen(address, left).address();
    }

    /**
     * Connects to the right neighbour, waits for the left one, and exchanges keys: each worker gives the one that writes to it the key of its
     * inbox, in a tagged message, and nobody else.
     */
    void connect(Worker worker, InetSocketAddress rightAddress, PathPolicy policy) {
        if (rounds == 0) {
            return;
        }
        right.await(worker.connect(rightAddress, policy, right));
        left.awaitConnected();
        left.send(INBOX_KEY_TAG, inbox.packedKey());
        rightInbox = right.endpoint().unpack(right.receive(INBOX_KEY_TAG));
    }

    /** The way to the right neighbour; empty where there is none. */
    Optional<Path> path() {
        return right.path();
    }

    /** Replaces a vector by the sum of the vectors of all workers, each of which calls this. */
    void addUp(float[] vector) {
        for (int round = 0; round < rounds; round++) {
            int sent = Math.floorMod(rank - round, chunks.count());
            int received = Math.floorMod(rank - round - 1, chunks.count());
            put(vector, sent);
            loop.until(() -> inbox.holds(number));
            take(vector, received, round >= rounds / 2);
            number++;
        }
    }

    private void put(float[] vector, int chunk) {
        int length = chunks.length(chunk);
        MemorySegment.copy(vector, chunks.offset(chunk), outgoing, ValueLayout.JAVA_FLOAT, 0, length);
        RemoteKey key = Objects.requireNonNull(rightInbox, "not connected");
        long offset = inbox.offset(number);
        MemorySegment sums = outgoing.asSlice(0, length * (long) Float.BYTES);
        right.run(done -> right.endpoint().putSignal(sums, number, key, offset, done));
    }

    private void take(float[] vector, int chunk, boolean finished) {
        MemorySegment arrived = inbox.chunk(number);
        int offset = chunks.offset(chunk);
        int length = chunks.length(chunk);
        if (finished) {
            MemorySegment.copy(arrived, ValueLayout.JAVA_FLOAT, 0, vector, offset, length);
            return;
        }
        for (int i = 0; i < length; i++) {
            vector[offset + i] += arrived.getAtIndex(ValueLayout.JAVA_FLOAT, i);
        }
    }

    /** There is no more to add up: that a neighbour closes its endpoint is no failure from now on. */
    void letEnd() {
        left.letEnd();
        right.letEnd();
    }

    @Override
    public void close() {
        inbox.close();
    }
}
