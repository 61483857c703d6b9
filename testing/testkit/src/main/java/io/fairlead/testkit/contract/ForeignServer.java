package io.fairlead.testkit.contract;

import io.fairlead.Context;
import io.fairlead.EndpointHandler;
import io.fairlead.Listener;
import io.fairlead.Worker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A worker with a listener that another thread drives, and nothing more: its peers get what progress alone gives. */
final class ForeignServer implements AutoCloseable {
    private static final long DEADLINE_S = 60;

    private final Thread thread;
    private final CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
    private final CompletableFuture<Worker> worker = new CompletableFuture<>();
    private volatile boolean closing;

    ForeignServer(Context context) {
        thread = Thread.ofPlatform().name("foreign-server").start(() -> run(context));
    }

    private void run(Context context) {
        try (Worker own = context.newWorker();
                Listener listener =
                        own.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE)) {
            worker.complete(own);
            address.complete(listener.address());
            while (!closing) {
                if (own.progress() == 0) {
                    own.await(TimeUnit.MILLISECONDS.toNanos(1));
                }
            }
        } catch (RuntimeException | Error e) {
            address.completeExceptionally(e);
            worker.completeExceptionally(e);
        }
    }

    InetSocketAddress address() {
        try {
            return address.get(DEADLINE_S, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("the foreign server does not listen", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Ends the thread, whose worker closes its endpoints gracefully. Idempotent. */
    @Override
    public void close() {
        closing = true;
        try {
            worker.join().wakeup();
            if (!thread.join(java.time.Duration.ofSeconds(DEADLINE_S))) {
                throw new AssertionError("the foreign server does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
