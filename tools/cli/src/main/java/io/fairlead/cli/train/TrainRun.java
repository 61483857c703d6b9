package io.fairlead.cli.train;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.process.ChildEvent;
import io.fairlead.cli.process.ChildProcess;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.samples.training.Coordinator;
import io.fairlead.samples.training.StrikeTable;
import io.fairlead.samples.training.TrainingException;
import io.fairlead.samples.training.TrainingResult;
import io.fairlead.samples.training.TrainingSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** One run: starts the worker processes, coordinates them, and ends them, however the run ends. */
final class TrainRun implements AutoCloseable {
    private static final String FAILURE_PREFIX = "fairlead: ";
    private static final int SIGNALLED = 128;
    private static final long POLL_MS = 20;
    /** How long the report of a process's end may take, once its peers have noticed. */
    private static final long CAUSE_NS = TimeUnit.SECONDS.toNanos(2);
    /** What closing may take, on a machine with other things to do. */
    private static final long END_NS = TimeUnit.SECONDS.toNanos(30);

    private final BlockingQueue<ChildEvent> events = new LinkedBlockingQueue<>();
    private final List<ChildProcess> children = new ArrayList<>();
    private final List<ChildEvent.Ended> ended = new ArrayList<>();
    private final Map<ChildProcess, String> lastWords = new HashMap<>();
    private final StopSignal stop;
    private final TrainingSettings settings;
    private final Coordinator coordinator;
    /** How many workers are processes of this one. */
    private final int started;

    /** A run whose workers are processes that this one starts. */
    static TrainRun ofOneHost(StopSignal stop, FairleadConfig config, TrainingSettings settings, StrikeTable table) {
        InetSocketAddress listen = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return new TrainRun(stop, config, settings, table, listen, settings.workers());
    }

    /** A run whose first worker is a process that this one starts; a launcher has started the others. */
    static TrainRun launched(
            StopSignal stop,
            FairleadConfig config,
            TrainingSettings settings,
            StrikeTable table,
            InetSocketAddress listen) {
        return new TrainRun(stop, config, settings, table, listen, 1);
    }

    private TrainRun(
            StopSignal stop,
            FairleadConfig config,
            TrainingSettings settings,
            StrikeTable table,
            InetSocketAddress listen,
            int started) {
        this.stop = stop;
        this.settings = settings;
        this.started = started;
        coordinator = new Coordinator(
                config,
                settings,
                table,
                listen,
                (step, loss) -> System.err.printf(Locale.ROOT, "step %,9d  loss %.4f%n", step, loss));
    }

    /**
     * Runs to the end.
     *
     * @throws CommandFailure that names the worker that was lost first, and why
     */
    TrainingResult run(ConfigOptions config) throws InterruptedException {
        for (int rank = 0; rank < started; rank++) {
            List<String> arguments = new ArrayList<>(List.of(
                    "train-worker",
                    "--rank=" + rank,
                    "--workers=" + settings.workers(),
                    "--coordinator=" + reachable(coordinator.address())));
            arguments.addAll(config.toArguments(rank));
            children.add(ChildProcess.start("worker " + rank, arguments, events));
        }
        System.err.println("processes: "
                + children.stream()
                        .map(child -> child.name() + " is " + child.pid())
                        .collect(Collectors.joining(", ")));
        while (!coordinator.result().isDone() && !stop.requested() && failed().isEmpty()) {
            hearNext();
        }
        if (stop.requested()) {
            throw CommandFailure.failed("train was stopped before its end; run it again for a result");
        }
        TrainingResult result = result();
        awaitEnd();
        return result;
    }

    /** A listener of all addresses is reached over loopback by processes of this host. */
    private static Address reachable(InetSocketAddress listening) {
        return listening.getAddress().isAnyLocalAddress()
                ? new Address(InetAddress.getLoopbackAddress().getHostAddress(), listening.getPort())
                : Address.of(listening);
    }

    private TrainingResult result() throws InterruptedException {
        if (!coordinator.result().isDone()) {
            throw CommandFailure.failed(describe(failed().orElseThrow()));
        }
        try {
            return coordinator.result().join();
        } catch (CompletionException e) {
            if (!(e.getCause() instanceof TrainingException failure)) {
                throw e;
            }
            throw CommandFailure.failed(cause(failure));
        }
    }

    /** Peers notice that a worker is gone; only its parent is notified how it ended. */
    private String cause(TrainingException failure) throws InterruptedException {
        long start = System.nanoTime();
        while (failure.rank().isPresent() && killed().isEmpty() && System.nanoTime() - start < CAUSE_NS) {
            hearNext();
        }
        return killed().map(this::describe).orElse(String.valueOf(failure.getMessage()));
    }

    private Optional<ChildEvent.Ended> failed() {
        return ended.stream().filter(end -> end.status() != 0).findFirst();
    }

    private Optional<ChildEvent.Ended> killed() {
        return ended.stream().filter(end -> end.status() > SIGNALLED).findFirst();
    }

    private String describe(ChildEvent.Ended end) {
        String words = lastWords.get(end.child());
        return end.child().name() + " " + end.description() + (words == null ? "" : ": " + words);
    }

    private void hearNext() throws InterruptedException {
        switch (events.poll(POLL_MS, TimeUnit.MILLISECONDS)) {
            case null -> {}
            case ChildEvent.Said said -> System.err.println(said.child().name() + ": " + said.line());
            case ChildEvent.Complained complaint -> {
                // A command's last words are its failure, and part of this one's; anything else on its standard error
                // is its log.
                if (complaint.line().startsWith(FAILURE_PREFIX)) {
                    lastWords.put(complaint.child(), complaint.line().substring(FAILURE_PREFIX.length()));
                } else {
                    System.err.println(complaint.attributed());
                }
            }
            case ChildEvent.Ended end -> ended.add(end);
        }
    }

    private void awaitEnd() throws InterruptedException {
        long start = System.nanoTime();
        while (ended.size() < children.size() && System.nanoTime() - start < END_NS && !stop.requested()) {
            hearNext();
        }
        if (failed().isPresent()) {
            throw CommandFailure.failed("the training ended well, but " + describe(failed().get()));
        }
    }

    /** Ends every process that still runs. */
    @Override
    public void close() {
        coordinator.close();
        children.forEach(ChildProcess::askToEnd);
        children.forEach(ChildProcess::close);
    }
}
