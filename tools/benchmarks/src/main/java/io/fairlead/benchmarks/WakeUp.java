package io.fairlead.benchmarks;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.Worker;
import io.fairlead.benchmarks.process.SecondProcess;
import io.fairlead.cli.measure.FairleadPingPong;
import io.fairlead.cli.measure.PingPong;
import io.fairlead.config.ConfigKeys;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How soon a thread that blocks has answered a message, and what it takes of the processor while there is none: a node over each path of this
 * host with {@code idle.strategy=blocking}, beside a thread that blocks in a bare selector. The asking side spins, and leaves pauses in
 * which the answering side falls asleep.
 */
final class WakeUp implements AutoCloseable {
    static final int SIZE = 8;

    /** Between two looks while nobody is asked anything: seldom, because it is the other process's rest that is measured. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * How much is measured.
     *
     * @param warmUp exchanges without pauses, for each contestant, before anything is counted
     * @param rounds turns of each contestant
     * @param exchanges exchanges in a turn
     * @param pauseNs before each of them
     * @param idleNs how long nothing is sent, to see what waiting takes
     */
    record Plan(int warmUp, int rounds, int exchanges, long pauseNs, long idleNs) {}

    /**
     * What it has come to.
     *
     * @param times contestants in the order of their turns, each with a median per round
     * @param idlePercent what both nodes and the selector's thread took of one processor while nothing was sent
     */
    record Result(List<Times> times, double idlePercent) {}

    /**
     * A contestant.
     *
     * @param subject its name
     * @param medians from message to answer, in microseconds
     */
    record Times(String subject, List<Double> medians) {}

    private final Plan plan;
    private final Consumer<String> progress;
    private final List<Side> sides = new ArrayList<>();

    WakeUp(Plan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /** One context with one connection. */
    private static final class Side implements EndpointHandler, AutoCloseable {
        final Context context;
        final Worker worker;
        final int port;
        private @Nullable Endpoint endpoint;

        Side(PathPolicy policy) {
            context = Context.open(FairleadConfig.defaults().with(ConfigKeys.POLICY, policy));
            worker = context.newWorker();
            port = worker.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), this)
                    .address()
                    .getPort();
        }

        @Override
        public void connected(Endpoint connected) {
            endpoint = connected;
        }

        @Override
        public void close() {
            worker.close();
            context.close();
        }
    }

    Result run() {
        return SecondProcess.compare(this::compare);
    }

    private Result compare() throws IOException {
        Side tcp = side(PathPolicy.TCP_ONLY);
        Side best = side(PathPolicy.AUTO);
        try (ServerSocketChannel rawListener =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            int rawPort = ((InetSocketAddress) rawListener.getLocalAddress()).getPort();
            Process answering = SecondProcess.start(
                    List.of(),
                    WakeUpEcho.class,
                    List.of(String.valueOf(rawPort), String.valueOf(tcp.port), String.valueOf(best.port)));
            try {
                SecondProcess.await(answering, this::connected);
                // It connected the raw channel before.
                try (SocketChannel raw = RawPingPong.prepare(rawListener.accept())) {
                    return measure(answering, raw, tcp, best);
                }
            } finally {
                answering.destroy();
            }
        }
    }

    private Side side(PathPolicy policy) {
        Side side = new Side(policy);
        sides.add(side);
        return side;
    }

    private boolean connected() {
        advance();
        return sides.stream().allMatch(side -> side.endpoint != null);
    }

    private Result measure(Process answering, SocketChannel raw, Side tcp, Side best) throws IOException {
        List<Times> times = List.of(
                new Times("bare-selector", new ArrayList<>()),
                new Times("fairlead-tcp", new ArrayList<>()),
                new Times("fairlead-" + path(best), new ArrayList<>()));
        try (PingPong bare = new RawPingPong(raw, SIZE);
                PingPong overTcp = pingPong(tcp);
                PingPong overBest = pingPong(best)) {
            List<PingPong> contestants = List.of(bare, overTcp, overBest);
            for (PingPong contestant : contestants) {
                ask(contestant, plan.warmUp(), 0);
            }
            for (int round = 0; round < plan.rounds(); round++) {
                progress.accept("wake-up: round " + (round + 1) + " of " + plan.rounds());
                for (int i = 0; i < contestants.size(); i++) {
                    times.get(i).medians().add(ask(contestants.get(i), plan.exchanges(), plan.pauseNs()));
                }
            }
            progress.accept("wake-up: waiting");
            return new Result(times, idlePercent(answering));
        }
    }

    private static String path(Side side) {
        return endpoint(side).path().orElseThrow().transport();
    }

    private static Endpoint endpoint(Side side) {
        if (side.endpoint == null) {
            throw new IllegalStateException("not connected");
        }
        return side.endpoint;
    }

    private static PingPong pingPong(Side side) {
        return new FairleadPingPong(side.worker, endpoint(side), SIZE, FairleadPingPong.BARE_LOOP);
    }

    /** The median from message to answer, in microseconds. */
    private double ask(PingPong contestant, int count, long pauseNs) {
        long[] times = new long[count];
        for (int i = 0; i < count; i++) {
            pause(pauseNs);
            long startNs = System.nanoTime();
            contestant.ask();
            times[i] = System.nanoTime() - startNs;
            // The others have peers too, which want to hear of them.
            advance();
        }
        Arrays.sort(times);
        return times[count / 2] / 1000.0;
    }

    private void pause(long pauseNs) {
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < pauseNs) {
            advance();
        }
    }

    private void advance() {
        sides.forEach(side -> side.worker.progress());
    }

    private double idlePercent(Process answering) throws IOException {
        BufferedReader said = answering.inputReader();
        long beforeNs = processorNs(answering, said);
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < plan.idleNs()) {
            advance();
            LockSupport.parkNanos(LOOK_NS);
        }
        long tookNs = System.nanoTime() - startNs;
        return 100.0 * (processorNs(answering, said) - beforeNs) / tookNs;
    }

    private long processorNs(Process answering, BufferedReader said) throws IOException {
        answering.outputWriter().append('\n').flush();
        while (!said.ready()) {
            if (!answering.isAlive()) {
                throw new IOException("the answering process has ended");
            }
            advance();
            LockSupport.parkNanos(LOOK_NS);
        }
        return Long.parseLong(said.readLine());
    }

    @Override
    public void close() {
        sides.forEach(Side::close);
    }
}
