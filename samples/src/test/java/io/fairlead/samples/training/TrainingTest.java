package io.fairlead.samples.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.MemoryRegion;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole runs over TCP, each worker a thread with a context of its own. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TrainingTest {
    private static final StrikeTable TABLE = StrikeTable.load();
    private static final FairleadConfig TCP = FairleadConfig.defaults().with(ConfigKeys.POLICY, PathPolicy.TCP_ONLY);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7})
    void shouldEndWithTheBitsOfTheSingleProcessWhateverTheNumberOfWorkers(int workers) throws Exception {
        TrainingSettings settings = new TrainingSettings(workers, 100, PathPolicy.TCP_ONLY);
        TrainedWeights expected = new SingleProcess(settings, TABLE).run(() -> false);
        List<Integer> steps = new ArrayList<>();

        TrainingResult result;
        try (Coordinator coordinator =
                new Coordinator(TCP, settings, TABLE, loopback(), (step, loss) -> steps.add(step))) {
            List<CompletableFuture<Void>> ends = start(coordinator, workers);
            result = coordinator.result().get(100, TimeUnit.SECONDS);
            for (CompletableFuture<Void> end : ends) {
                end.get(100, TimeUnit.SECONDS);
            }
        }

        assertEquals(workers, result.workers().size());
        for (TrainingResult.WorkerResult worker : result.workers()) {
            assertEquals(expected.hash(), worker.trained().hash());
            assertEquals(workers == 1 ? "" : "tcp", worker.path().transport());
        }
        assertTrue(result.stepsPerSecond() > 0 && result.sumUs() >= 0, result::toString);
        assertEquals(100, steps.getLast());
    }

    @Test
    void shouldEndEveryWorkerAndNameTheOneThatStopsInTheMiddle() throws Exception {
        TrainingSettings settings = new TrainingSettings(3, TrainingSettings.STEPS_MAX, PathPolicy.TCP_ONLY);
        AtomicReference<TrainingWorker> second = new AtomicReference<>();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        try (Coordinator coordinator = new Coordinator(
                TCP, settings, TABLE, loopback(), (step, loss) -> second.get().stop())) {
            for (int rank = 0; rank < 3; rank++) {
                ends.add(start(coordinator, rank, 3, rank == 1 ? second : new AtomicReference<>()));
            }
            assertEquals("worker 1: training was stopped", failure(coordinator).getMessage());
        }
        for (CompletableFuture<Void> end : ends) {
            ExecutionException failure = assertThrows(ExecutionException.class, () -> end.get(100, TimeUnit.SECONDS));
            assertInstanceOf(TrainingException.class, failure.getCause());
        }
    }

    @Test
    void shouldNameAWorkerThatIsLost() throws Exception {
        TrainingSettings settings = new TrainingSettings(2, 1000, PathPolicy.TCP_ONLY);
        try (Node node = Node.start(TCP);
                Coordinator coordinator = new Coordinator(TCP, settings, TABLE, loopback(), (step, loss) -> {})) {
            Peer peer = join(node, coordinator, 1, 2);
            peer.abort();
            TrainingException failure = failure(coordinator);
            assertEquals(OptionalInt.of(1), failure.rank());
            assertTrue(String.valueOf(failure.getMessage()).startsWith("worker 1 was lost: "), failure::toString);
        }
    }

    @Test
    void shouldRefuseWorkersThatHaveNoPlaceInTheRun() throws Exception {
        TrainingSettings settings = new TrainingSettings(2, 1000, PathPolicy.TCP_ONLY);
        for (int[] wrong : new int[][] {{2, 2}, {-1, 2}, {0, 3}}) {
            try (Node node = Node.start(TCP);
                    Coordinator coordinator = new Coordinator(TCP, settings, TABLE, loopback(), (step, loss) -> {})) {
                join(node, coordinator, wrong[0], wrong[1]);
                assertEquals(
                        "worker has no place in this run: rank=" + wrong[0] + " of " + wrong[1]
                                + ", the run has 2, each once",
                        failure(coordinator).getMessage());
            }
        }
    }

    @Test
    void shouldEndARunThatIsClosedBeforeItsEnd() {
        TrainingSettings settings = new TrainingSettings(2, 1000, PathPolicy.TCP_ONLY);
        Coordinator coordinator = new Coordinator(TCP, settings, TABLE, loopback(), (step, loss) -> {});
        coordinator.close();
        assertEquals("training was stopped", failure(coordinator).getMessage());
    }

    /** A process that joins a run as a worker, and does nothing else. */
    private static Peer join(Node node, Coordinator coordinator, int rank, int workers) throws Exception {
        Peer peer = node.connect(coordinator.address()).get(100, TimeUnit.SECONDS);
        MemoryRegion weights = node.allocate(64, Set.of(AccessRight.READ));
        TrainingMessage join =
                new TrainingMessage.Join(rank, workers, new InetSocketAddress("127.0.0.1", 1), weights.packedKey());
        peer.send(join.toBytes(), join.tag()).get(100, TimeUnit.SECONDS);
        return peer;
    }

    private static TrainingException failure(Coordinator coordinator) {
        ExecutionException failure = assertThrows(
                ExecutionException.class, () -> coordinator.result().get(100, TimeUnit.SECONDS));
        return assertInstanceOf(TrainingException.class, failure.getCause());
    }

    private static List<CompletableFuture<Void>> start(Coordinator coordinator, int workers) {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int rank = 0; rank < workers; rank++) {
            ends.add(start(coordinator, rank, workers, new AtomicReference<>()));
        }
        return ends;
    }

    private static CompletableFuture<Void> start(
            Coordinator coordinator, int rank, int workers, AtomicReference<TrainingWorker> running) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("worker-" + rank).start(() -> {
            try (Context context = Context.open(TCP);
                    TrainingWorker worker = new TrainingWorker(context, TABLE, rank, workers)) {
                running.set(worker);
                worker.run(coordinator.address(), loopback());
                end.complete(null);
            } catch (Throwable failure) {
                end.completeExceptionally(failure);
            }
        });
        return end;
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }
}
