package io.fairlead.samples.training;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerKey;
import io.fairlead.samples.training.TrainingMessage.Failed;
import io.fairlead.samples.training.TrainingMessage.Finished;
import io.fairlead.samples.training.TrainingMessage.Join;
import io.fairlead.samples.training.TrainingMessage.Progress;
import io.fairlead.samples.training.TrainingMessage.Start;
import io.fairlead.samples.training.TrainingResult.WorkerResult;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Brings the workers of a run together. It sends each worker its neighbour's address, receives progress reports, and at the end gets the
 * weights from each worker's memory. No gradient passes through it.
 *
 * <p>It shows the node API: futures that any thread may wait for, so that a run is one method, {@link #coordinate}, which reads from the
 * top to the bottom on a virtual thread. Thread-safe.
 */
public final class Coordinator implements AutoCloseable {
    private static final long JOIN_TIMEOUT_S = 120;

    private final TrainingSettings settings;
    private final int weightCount;
    private final ProgressListener progress;
    private final List<CompletableFuture<Member>> members;
    private final List<CompletableFuture<Finished>> ends;
    private final CompletableFuture<TrainingResult> result = new CompletableFuture<>();
    private final Node node;
    private final Listener listener;
    private volatile boolean dismissing;

    /** Notified of a run's progress. */
    @FunctionalInterface
    public interface ProgressListener {
        /**
         * Some more steps are done. Runs on a thread of the coordinator's.
         *
         * @param step how many of all
         * @param loss the mean over the rows since the last call, in nats
         */
        void progress(int step, double loss);
    }

    /** A worker that has joined. */
    private record Member(Peer peer, Join join) {}

    /**
     * Waits for the workers of a run from now on.
     *
     * @param config how Fairlead is configured
     * @param settings of the run
     * @param table the rows
     * @param listen where workers connect; port 0 takes a free one
     * @param progress notified of the run's progress
     */
    public Coordinator(
            FairleadConfig config,
            TrainingSettings settings,
            StrikeTable table,
            InetSocketAddress listen,
            ProgressListener progress) {
        this.settings = settings;
        this.progress = progress;
        weightCount = Network.weightCount(table.featureCount());
        members = oneForEachWorker();
        ends = oneForEachWorker();
        node = Node.start(config);
        try {
            listener = node.listen(listen, this::accept);
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
        Thread.ofVirtual().name("training-coordinator").start(() -> orFail(this::coordinate));
    }

    private <T> List<CompletableFuture<T>> oneForEachWorker() {
        return Stream.generate(CompletableFuture<T>::new)
                .limit(settings.workers())
                .toList();
    }

    /**
     * Where workers connect.
     *
     * @return with the port that was taken
     */
    public InetSocketAddress address() {
        return listener.address();
    }

    /**
     * The end of the run.
     *
     * @return what the workers ended with, or a {@link TrainingException}
     */
    public CompletableFuture<TrainingResult> result() {
        return result;
    }

    /** The run. */
    private void coordinate() {
        List<Member> all = awaitMembers();
        for (int rank = 0; rank < all.size(); rank++) {
            Join right = all.get((rank + 1) % all.size()).join();
            tell(all.get(rank), new Start(settings.steps(), settings.policy(), right.address()));
        }
        all.forEach(member -> Thread.ofVirtual().start(() -> orFail(() -> hear(member))));

        List<WorkerResult> results = new ArrayList<>();
        for (int rank = 0; rank < all.size(); rank++) {
            Finished end = await(all.get(rank), ends.get(rank));
            TrainedWeights trained = new TrainedWeights(weights(all.get(rank)), end.elapsedNs());
            results.add(new WorkerResult(trained, end.sumNs(), end.path()));
        }
        dismissing = true;
        for (Member member : all) {
            await(member, member.peer().send(new byte[0], TrainingMessage.END_TAG));
        }
        result.complete(new TrainingResult(settings.steps(), results));
    }

    private void accept(Peer peer) {
        // Whoever never joins is no worker, and its end no concern of the run.
        var _ = peer.receive(TrainingMessage.JOIN_TAG)
                .thenAccept(message -> orFail(() -> {
                    Member member = new Member(peer, (Join) read(message));
                    int rank = member.join().rank();
                    if (member.join().workers() != settings.workers()
                            || rank < 0
                            || rank >= settings.workers()
                            || !members.get(rank).complete(member)) {
                        throw TrainingException.of("worker has no place in this run: rank=" + rank + " of "
                                + member.join().workers() + ", the run has " + settings.workers() + ", each once");
                    }
                    peer.onClosed(cause -> closed(rank, cause));
                }));
    }

    private List<Member> awaitMembers() {
        try {
            CompletableFuture.allOf(members.toArray(CompletableFuture[]::new)).get(JOIN_TIMEOUT_S, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw TrainingException.of("workers did not join in " + JOIN_TIMEOUT_S + " s: joined="
                    + members.stream().filter(CompletableFuture::isDone).count() + " of " + settings.workers());
        } catch (ExecutionException e) {
            throw failure(e);
        } catch (InterruptedException e) {
            throw TrainingException.of("interrupted while waiting for workers");
        }
        return members.stream().map(CompletableFuture::join).toList();
    }

    /** Receives a worker's messages until it has finished. */
    private void hear(Member member) {
        int rank = member.join().rank();
        while (!ends.get(rank).isDone()) {
            switch (read(await(member, member.peer().receive(0, 0, TrainingMessage.LENGTH_MAX)))) {
                case Progress news -> progress.progress(news.step(), news.loss());
                case Finished end -> ends.get(rank).complete(end);
                case Failed failed -> throw failure(rank, failed);
                case Join _, Start _ -> throw TrainingException.ofWorker(rank, "worker " + rank + " is out of turn");
            }
        }
    }

    private static TrainingException failure(int rank, Failed failed) {
        String message = "worker " + rank + ": " + failed.cause();
        return failed.lost() == TrainingException.NOBODY
                ? TrainingException.of(message)
                : TrainingException.ofWorker(failed.lost(), message);
    }

    /** Reads the weights of a worker where they are; it has no part in it but to be there. */
    private float[] weights(Member member) {
        float[] weights = new float[weightCount];
        PeerKey key = await(member, member.peer().unpack(member.join().weightsKey()));
        await(member, member.peer().get(MemorySegment.ofArray(weights), key, 0));
        return weights;
    }

    private static void tell(Member member, TrainingMessage message) {
        await(member, member.peer().send(message.toBytes(), message.tag()));
    }

    private static TrainingMessage read(Message message) {
        try (message) {
            return TrainingMessage.of(message.tag(), message.bytes());
        }
    }

    /** Waits for something that a worker does, or that is done to it. */
    private static <T> T await(Member member, CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof FairleadException cause
                    ? lost(member.join().rank(), String.valueOf(cause.getMessage()))
                    : failure(e);
        }
    }

    private static RuntimeException failure(Exception wrapper) {
        return wrapper.getCause() instanceof TrainingException cause ? cause : new IllegalStateException(wrapper);
    }

    private static TrainingException lost(int rank, String cause) {
        return TrainingException.ofWorker(rank, "worker " + rank + " was lost: " + cause);
    }

    private void closed(int rank, Optional<FairleadException> cause) {
        if (!dismissing) {
            fail(lost(rank, cause.map(FairleadException::getMessage).orElse("it has closed its endpoint")));
        }
    }

    /** Runs a part of the run, whose failure is the run's. */
    private void orFail(Runnable part) {
        try {
            part.run();
        } catch (TrainingException failure) {
            fail(failure);
        } catch (RuntimeException | Error failure) {
            // A mistake of this program's, which must not leave anybody waiting either.
            result.completeExceptionally(failure);
            throw failure;
        }
    }

    /** The first failure counts; it ends every wait. */
    private void fail(TrainingException failure) {
        result.completeExceptionally(failure);
        members.forEach(member -> member.completeExceptionally(failure));
        ends.forEach(end -> end.completeExceptionally(failure));
    }

    /** Sends the workers away, in the middle of a run too. */
    @Override
    public void close() {
        fail(TrainingException.of("training was stopped"));
        node.close();
    }
}
