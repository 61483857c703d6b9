package io.fairlead.node.internal.discovery;

import io.fairlead.FairleadException;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.NodeFuture;
import io.fairlead.node.internal.loop.ProgressLoop;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is repeated for one name until it is stopped: a query for its members, or the renewal of an entry. The caller's future completes when it
 * has succeeded once. Thread-safe.
 *
 * @param <T> what the future completes with
 */
abstract class DiscoveryTask<T> {
    final NodeDiscovery discovery;
    final ServiceName name;
    private final ProgressLoop home;
    private final NodeFuture<T> opened = new NodeFuture<>();
    private volatile @Nullable FairleadException failure;
    private volatile @Nullable Poller poller;

    DiscoveryTask(NodeDiscovery discovery, ProgressLoop home, ServiceName name) {
        this.discovery = discovery;
        this.home = home;
        this.name = name;
    }

    /** Creates and starts the poller. The future fails if there is no success in time. */
    final CompletableFuture<T> begin(Supplier<Poller> making) {
        try {
            Poller made = making.get();
            poller = made;
            discovery.start(made);
        } catch (IllegalArgumentException malformed) {
            throw malformed;
        } catch (RuntimeException refused) {
            opened.completeExceptionally(refused);
            return opened;
        }
        onHome(() -> home.timers().after(discovery.firstAnswerNs(), () -> {
            if (!opened.isDone()) {
                failed(discovery.noAnswer(name));
            }
        }));
        return opened;
    }

    /** Creates and starts the poller for a caller that waits for no success. Throws if it cannot. */
    final void start(T result, Supplier<Poller> making) {
        // A failure then ends nothing.
        opened.complete(result);
        Poller made = making.get();
        poller = made;
        discovery.start(made);
    }

    /** It has succeeded, now or again. */
    final void succeeded(T result) {
        failure = null;
        if (!opened.isDone() || opened.isCompletedExceptionally()) {
            onHome(() -> home.deliver(() -> {
                if (!opened.complete(result) && opened.isCompletedExceptionally()) {
                    // The caller has given up, and nothing else refers to it.
                    stop();
                }
            }));
        }
    }

    /** It has not succeeded this time; the future fails if it never has. */
    final void failed(FairleadException cause) {
        failure = cause;
        if (!opened.isDone()) {
            onHome(() -> home.deliver(() -> {
                if (opened.completeExceptionally(cause)) {
                    stop();
                }
            }));
        }
    }

    private void onHome(Runnable command) {
        home.execute(new LoopTask() {
            @Override
            public void accept(ProgressLoop loop) {
                command.run();
            }

            @Override
            public void refuse(FairleadException cause) {
                opened.completeExceptionally(cause);
            }
        });
    }

    /** The poller; empty before it is created. */
    final Optional<Poller> poller() {
        return Optional.ofNullable(poller);
    }

    final void stop() {
        poller().ifPresent(Poller::stop);
    }

    /** Why it did not succeed the last time. */
    final Optional<FairleadException> lastFailure() {
        return Optional.ofNullable(failure);
    }
}
