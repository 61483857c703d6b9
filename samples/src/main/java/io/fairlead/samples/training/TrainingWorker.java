package io.fairlead.samples.training;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.FairleadException;
import io.fairlead.MemoryRegion;
import io.fairlead.Worker;
import io.fairlead.samples.training.TrainingMessage.Failed;
import io.fairlead.samples.training.TrainingMessage.Finished;
import io.fairlead.samples.training.TrainingMessage.Join;
import io.fairlead.samples.training.TrainingMessage.Progress;
import io.fairlead.samples.training.TrainingMessage.Start;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One process of a run. In each step it computes the gradient of its rows, and adds up the gradients of all workers. It moves its
 * weights by the sum. All workers therefore have the same weights at any time without ever sending them.
 *
 * <p>It shows the worker API as a program of one thread uses it. Every wait goes through a progress loop, keys travel in tagged messages,
 * and a peer reads memory once it is notified. At the end the coordinator gets the weights out of this worker's memory. This side only
 * makes progress meanwhile.
 *
 * <p>Belongs to the thread that makes it, but for {@link #stop()}.
 */
public final class TrainingWorker implements AutoCloseable {
    private static final long REPORT_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    /** How long a worker that has failed waits to be sent away. */
    private static final long FAREWELL_NS = TimeUnit.SECONDS.toNanos(2);

    private final StrikeTable table;
    private final int rank;
    private final int workers;
    private final Arena arena = Arena.ofConfined();
    private final Network network;
    private final float[] gradient;
    private final Worker worker;
    private final TrainingLoop loop;
    private final RemoteProcess coordinator;
    private final RingSum ring;
    private final MemoryRegion weights;
    private long sumNs;
    private double loss;
    private int reportedStep;
    private long reportedNs;

    /**
     * Makes a worker.
     *
     * @param context of this process
     * @param table the rows
     * @param rank which worker this is, 0 and up
     * @param workers how many there are, {@link TrainingSettings#WORKERS_MAX} at most
     */
    public TrainingWorker(Context context, StrikeTable table, int rank, int workers) {
        this.table = table;
        this.rank = rank;
        this.workers = workers;
        network = new Network(table.featureCount());
        gradient = new float[Shard.gradientLength(network)];
        worker = context.newWorker();
        loop = new TrainingLoop(worker);
        coordinator = RemoteProcess.coordinator(loop, arena);
        ring = new RingSum(context, loop, arena, rank, workers, gradient.length);
        // Whoever has the key can read, and nothing else.
        weights = context.allocate(network.weights().length * (long) Float.BYTES, Set.of(AccessRight.READ));
    }

    /**
     * Takes part in a run from its beginning to its end.
     *
     * @param address where the coordinator listens
     * @param listen where to listen for the left neighbour; port 0 takes a free one
     * @throws TrainingException if the run has failed, or was stopped
     * @throws FairleadException if something was refused, such as a key
     */
    public void run(InetSocketAddress address, InetSocketAddress listen) {
        try {
            coordinator.await(worker.connect(address, coordinator));
            Finished finished = train(join(ring.listen(worker, listen)));
            MemorySegment.copy(
                    network.weights(), 0, weights.segment(), ValueLayout.JAVA_FLOAT, 0, network.weights().length);
            ring.letEnd();
            tell(finished);
            coordinator.receive(TrainingMessage.END_TAG);
        } catch (TrainingException failure) {
            complain(failure, failure.rank().orElse(TrainingException.NOBODY));
            throw failure;
        } catch (FairleadException failure) {
            complain(failure, TrainingException.NOBODY);
            throw failure;
        }
    }

    /** Asks to end, from any thread. */
    public void stop() {
        loop.stop();
    }

    private Start join(InetSocketAddress listening) {
        tell(new Join(rank, workers, listening, weights.packedKey()));
        return (Start) TrainingMessage.of(TrainingMessage.START_TAG, coordinator.receive(TrainingMessage.START_TAG));
    }

    private Finished train(Start start) {
        ring.connect(worker, start.right(), start.policy());
        Shard shard = new Shard(table, rank, workers);
        long startNs = System.nanoTime();
        reportedNs = startNs;
        for (int step = 1; step <= start.steps(); step++) {
            shard.gradient(step - 1, network, gradient);
            addUp();
            network.descend(gradient, TrainingSettings.RATE_PER_ROW);
            report(step, step == start.steps());
        }
        long elapsedNs = System.nanoTime() - startNs;
        return new Finished(elapsedNs, sumNs, ring.path().map(RingPath::of).orElse(RingPath.NONE));
    }

    /** Reports the training's progress from time to time. One worker is enough, because all have the same loss. */
    private void report(int step, boolean last) {
        loss += gradient[gradient.length - 1];
        if (rank == 0 && (last || System.nanoTime() - reportedNs > REPORT_INTERVAL_NS)) {
            tell(new Progress(step, loss / (step - reportedStep) / TrainingSettings.BATCH));
            reportedNs = System.nanoTime();
            reportedStep = step;
            loss = 0;
        }
    }

    private void addUp() {
        long startNs = System.nanoTime();
        ring.addUp(gradient);
        sumNs += System.nanoTime() - startNs;
        if (workers == 1) {
            // There is nothing to wait for, and the coordinator gives up a stalled process.
            loop.poll();
        }
    }

    private void tell(TrainingMessage message) {
        coordinator.send(message.tag(), message.toBytes());
    }

    /**
     * Reports the failure to the coordinator, and stays until the coordinator has closed the endpoint. If this worker left at once, its
     * neighbours would report it as the lost one.
     */
    private void complain(RuntimeException failure, int lost) {
        if (coordinator.isConnected()) {
            Failed message = new Failed(lost, String.valueOf(failure.getMessage()));
            coordinator.trySend(message.tag(), message.toBytes());
            loop.untilOrFor(() -> !coordinator.isConnected(), FAREWELL_NS);
        }
    }

    @Override
    public void close() {
        worker.close();
        ring.close();
        weights.close();
        arena.close();
    }
}
