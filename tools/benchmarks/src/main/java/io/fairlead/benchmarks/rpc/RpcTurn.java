package io.fairlead.benchmarks.rpc;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.Turn;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One turn of one contestant: a number of requests, so many of them in flight. */
final class RpcTurn {
    private static final long LIMIT_S = 120;

    /** Who asks for the next reply. */
    enum Caller {
        /** The callback of the reply before it, on the thread that makes progress. */
        CALLBACK,
        /** A thread of the application's, which waits for the oldest reply. */
        THREAD
    }

    private final RpcClient client;
    private final int inFlight;
    private final long[] times;
    private final AtomicInteger running = new AtomicInteger();
    private final CompletableFuture<Void> over = new CompletableFuture<>();

    private RpcTurn(RpcClient client, int inFlight, int count) {
        this.client = client;
        this.inFlight = inFlight;
        this.times = new long[count];
    }

    static Turn run(RpcClient client, Caller caller, int inFlight, int count) {
        RpcTurn turn = new RpcTurn(client, inFlight, count);
        long startNs = System.nanoTime();
        try {
            if (caller == Caller.CALLBACK) {
                turn.runByCallbacks();
            } else {
                turn.runByThread();
            }
        } catch (CompletionException | ExecutionException failure) {
            throw CommandFailure.failed("the comparison broke off: " + failure.getCause());
        } catch (TimeoutException late) {
            throw CommandFailure.failed("the comparison broke off: no reply within " + LIMIT_S + " s");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw CommandFailure.failed("interrupted");
        }
        return turn.figures(System.nanoTime() - startNs);
    }

    private Turn figures(long tookNs) {
        Arrays.sort(times);
        return new Turn(times.length * 1e9 / tookNs, percentile(0.50), 0, percentile(0.99), 0, 0, 0, Double.NaN, 1);
    }

    private double percentile(double share) {
        return times[(int) Math.min(times.length - 1, Math.round(share * times.length))] / 1000.0;
    }

    private static long number(int index, int slot) {
        return (long) index * RpcClient.SLOTS + slot;
    }

    private void runByThread() throws InterruptedException, ExecutionException, TimeoutException {
        @SuppressWarnings({"unchecked", "rawtypes"}) // There are no arrays of generic types.
        @Nullable CompletableFuture<Void>[] asked = new CompletableFuture[inFlight];
        for (int i = 0; i < times.length + inFlight; i++) {
            int slot = i % inFlight;
            CompletableFuture<Void> before = asked[slot];
            if (before != null) {
                before.get(LIMIT_S, TimeUnit.SECONDS);
            }
            asked[slot] = i < times.length ? ask(i, slot) : null;
        }
    }

    private CompletableFuture<Void> ask(int index, int slot) {
        long startNs = System.nanoTime();
        return client.ask(slot, number(index, slot)).thenRun(() -> times[index] = System.nanoTime() - startNs);
    }

    private void runByCallbacks() throws InterruptedException, ExecutionException, TimeoutException {
        running.set(inFlight);
        for (int slot = 0; slot < inFlight; slot++) {
            new Chain(slot).next();
        }
        over.get(LIMIT_S, TimeUnit.SECONDS);
    }

    /** The requests of one slot, each asked by the reply to the one before. */
    private final class Chain {
        private final int slot;
        private int index;
        private long startNs;

        private Chain(int slot) {
            this.slot = slot;
            this.index = slot;
        }

        private void next() {
            if (index >= times.length) {
                if (running.decrementAndGet() == 0) {
                    over.complete(null);
                }
                return;
            }
            startNs = System.nanoTime();
            CompletableFuture<Void> _ = client.ask(slot, number(index, slot)).whenComplete(this::replied);
        }

        private void replied(@Nullable Void nothing, @Nullable Throwable failure) {
            if (failure != null) {
                over.completeExceptionally(failure);
                return;
            }
            times[index] = System.nanoTime() - startNs;
            index += inFlight;
            next();
        }
    }
}
