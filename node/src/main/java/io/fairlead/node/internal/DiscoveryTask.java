package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import io.fairlead.node.discovery.ServiceName;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What goes on with one name until it is stopped: asking for its members, or keeping an entry under it. The future of whoever began it completes when it has
 * succeeded once. Thread-safe.
 *
 * @param <T> what the future completes with
 */
abstract class DiscoveryTask<T> {
    final NodeEngine node;
    final ServiceName name;
    private final ProgressLoop home;
    private final NodeFuture<T> opened = new NodeFuture<>();
    private volatile @Nullable FairleadException failure;
    private volatile @Nullable Upkeep upkeep;

    DiscoveryTask(NodeEngine node, ProgressLoop home, ServiceName name) {
        this.node = node;
        this.home = home;
        this.name = name;
    }

    /** Makes and starts the upkeep; the future fails if there is no success in time. */
    final CompletableFuture<T> begin(Supplier<Upkeep> making) {
        try {
            Upkeep made = making.get();
            upkeep = made;
            node.discovery().start(made);
        } catch (IllegalArgumentException malformed) {
            throw malformed;
        } catch (RuntimeException refused) {
            opened.completeExceptionally(refused);
            return opened;
        }
        tell(() -> home.timers().after(node.discovery().firstAnswerNs(), () -> {
            if (!opened.isDone()) {
                failed(node.discovery().noAnswer(name));
            }
        }));
        return opened;
    }

    /** Makes and starts the upkeep for whoever waits for no success; throws why it cannot. */
    final void start(T result, Supplier<Upkeep> making) {
        // A failure then ends nothing.
        opened.complete(result);
        Upkeep made = making.get();
        upkeep = made;
        node.discovery().start(made);
    }

    /** It has succeeded, now or again. */
    final void succeeded(T result) {
        failure = null;
        if (!opened.isDone() || opened.isCompletedExceptionally()) {
            tell(() -> home.deliver(() -> {
                if (!opened.complete(result) && opened.isCompletedExceptionally()) {
                    // Nobody waits for it any more, and nobody else knows it.
                    stop();
                }
            }));
        }
    }

    /** It has not succeeded this time; the future fails if it never has. */
    final void failed(FairleadException cause) {
        failure = cause;
        if (!opened.isDone()) {
            tell(() -> home.deliver(() -> {
                if (opened.completeExceptionally(cause)) {
                    stop();
                }
            }));
        }
    }

    private void tell(Runnable command) {
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

    /** The upkeep; empty before it is made. */
    final Optional<Upkeep> upkeep() {
        return Optional.ofNullable(upkeep);
    }

    final void stop() {
        upkeep().ifPresent(Upkeep::stop);
    }

    /** Why it did not succeed the last time. */
    final Optional<FairleadException> lastFailure() {
        return Optional.ofNullable(failure);
    }
}
