package io.fairlead.benchmarks.contest;

import io.fairlead.cli.measure.Laps;
import io.fairlead.cli.measure.Work;
import io.fairlead.cli.measure.WorkSide;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Requests and replies. The leading side asks, with as many requests in flight as the window of the work has; the other answers by itself, and counts. */
public final class RequestSide extends WorkSide {
    /** The greatest number of requests in flight. */
    public static final int SLOTS = 64;

    /** Who asks for the next reply. A turn may begin with this word; without one there is a thread for each request that is in flight. */
    public enum Caller {
        /** The callback of the reply before it, on the thread that makes progress. */
        CALLBACK,
        /** A thread of the application's, which waits for the oldest reply. */
        THREAD,
        /** Threads of the application's, each of which waits for its own reply. */
        THREADS
    }

    /** Asks the other side. */
    public interface Asker {
        /**
         * Sends a request. On any thread; requests of one slot come one after the other.
         *
         * @param slot below {@link #SLOTS}
         * @param number what the payload is made of; divided by {@link #SLOTS} it leaves the slot
         * @return ends when the reply is here and checked
         */
        CompletableFuture<Void> ask(int slot, long number, int size);
    }

    /** Makes replies, on whichever thread has read the request. */
    public static final class Answers {
        private final Semaphore given = new Semaphore(0);

        public MemorySegment reply(MemorySegment request) {
            MemorySegment reply = Payload.reply(request);
            given.release();
            return reply;
        }
    }

    private final String address;
    private final Optional<Asker> asker;
    private final Answers answers;
    private final AutoCloseable connection;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Caller caller = Caller.THREADS;
    private long[] times = {};

    private RequestSide(String address, Optional<Asker> asker, Answers answers, AutoCloseable connection) {
        this.address = address;
        this.asker = asker;
        this.answers = answers;
        this.connection = connection;
    }

    /** A side that has connected, by what its address says. */
    public static RequestSide asking(String address, Asker asker, AutoCloseable connection) {
        return new RequestSide(address, Optional.of(asker), new Answers(), connection);
    }

    /** A side that listens. */
    public static RequestSide answering(String address, Answers answers, AutoCloseable connection) {
        return new RequestSide(address, Optional.empty(), answers, connection);
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public String turn(String line, Runnable begun) {
        String work = line;
        caller = Caller.THREADS;
        for (Caller one : Caller.values()) {
            if (line.startsWith(one.name() + " ")) {
                caller = one;
                work = line.substring(one.name().length() + 1);
            }
        }
        return super.turn(work, begun);
    }

    @Override
    protected void begin(Work work, boolean leads) {
        answers.given.drainPermits();
    }

    @Override
    protected void lead(Work work, Laps laps) {
        times = new long[work.count()];
        laps.start();
        switch (caller) {
            case CALLBACK -> askByCallbacks(work);
            case THREAD -> askByThread(work);
            case THREADS -> askByThreads(work);
        }
        laps.stop();
        for (long tookNs : times) {
            laps.record(tookNs);
        }
    }

    private CompletableFuture<Void> ask(Work work, int index) {
        int slot = index % work.window();
        long startNs = System.nanoTime();
        return asker.orElseThrow()
                .ask(slot, (long) index / work.window() * SLOTS + slot, work.size())
                .thenRun(() -> times[index] = System.nanoTime() - startNs);
    }

    private void askByCallbacks(Work work) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        AtomicInteger running = new AtomicInteger(work.window());
        for (int slot = 0; slot < work.window(); slot++) {
            askOn(work, slot, running, over);
        }
        over.join();
    }

    /** The requests of one slot, each asked by the reply to the one before. */
    private void askOn(Work work, int index, AtomicInteger running, CompletableFuture<Void> over) {
        if (index < work.count()) {
            CompletableFuture<Void> _ = ask(work, index).whenComplete((_, failure) -> {
                if (failure == null) {
                    askOn(work, index + work.window(), running, over);
                } else {
                    over.completeExceptionally(failure);
                }
            });
        } else if (running.decrementAndGet() == 0) {
            over.complete(null);
        }
    }

    private void askByThread(Work work) {
        @SuppressWarnings({"unchecked", "rawtypes"}) // There are no arrays of generic types.
        @Nullable CompletableFuture<Void>[] asked = new CompletableFuture[work.window()];
        for (int i = 0; i < work.count() + work.window(); i++) {
            CompletableFuture<Void> before = asked[i % work.window()];
            if (before != null) {
                before.join();
            }
            asked[i % work.window()] = i < work.count() ? ask(work, i) : null;
        }
    }

    private void askByThreads(Work work) {
        CompletableFuture.allOf(IntStream.range(0, work.window())
                        .mapToObj(slot -> CompletableFuture.runAsync(() -> askOnThread(work, slot), threads))
                        .toArray(CompletableFuture[]::new))
                .join();
    }

    private void askOnThread(Work work, int slot) {
        for (int i = slot; i < work.count(); i += work.window()) {
            ask(work, i).join();
        }
    }

    @Override
    protected void follow(Work work) {
        answers.given.acquireUninterruptibly(work.count());
    }

    @Override
    public void close() {
        threads.shutdown();
        try {
            connection.close();
        } catch (Exception late) {
            throw new IllegalStateException("a connection does not end", late);
        }
    }
}
