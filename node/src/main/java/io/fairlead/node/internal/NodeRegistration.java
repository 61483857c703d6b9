package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import io.fairlead.node.Registration;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.ServiceName;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An entry of this process in a registry. Thread-safe. */
final class NodeRegistration implements Registration {
    private final NodeEngine node;
    private final ProgressLoop home;
    private final ServiceName name;
    private final Member member;
    private final NodeFuture<Registration> opened = new NodeFuture<>();
    private volatile @Nullable FairleadException failure;
    private volatile @Nullable Upkeep upkeep;

    NodeRegistration(NodeEngine node, ProgressLoop home, ServiceName name, Member member) {
        this.node = node;
        this.home = home;
        this.name = name;
        this.member = member;
    }

    /** Begins to register; the future completes when the registry has the entry. */
    CompletableFuture<Registration> open() {
        NodeDiscovery discovery = node.discovery();
        try {
            Upkeep keeping = discovery.register(name, member, this::renewed, this::failed);
            upkeep = keeping;
            discovery.start(keeping);
        } catch (IllegalArgumentException malformed) {
            throw malformed;
        } catch (RuntimeException refused) {
            opened.completeExceptionally(refused);
            return opened;
        }
        tell(() -> home.timers().after(discovery.firstAnswerNs(), () -> {
            if (!opened.isDone()) {
                failed(discovery.noAnswer(name));
            }
        }));
        return opened;
    }

    private void renewed() {
        failure = null;
        tell(() -> home.deliver(() -> {
            if (!opened.complete(this) && opened.isCompletedExceptionally()) {
                // Nobody waits for the entry any more, and nobody else knows it.
                stop();
            }
        }));
    }

    private void failed(FairleadException cause) {
        failure = cause;
        tell(() -> home.deliver(() -> {
            if (opened.completeExceptionally(cause)) {
                stop();
            }
        }));
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

    private void stop() {
        Upkeep running = upkeep;
        if (running != null) {
            running.stop();
        }
    }

    @Override
    public ServiceName name() {
        return name;
    }

    @Override
    public Member member() {
        return member;
    }

    @Override
    public Optional<FairleadException> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public void close() {
        stop();
        Upkeep running = upkeep;
        if (running != null) {
            node.discovery().awaitEnd(running);
        }
    }

    @Override
    public String toString() {
        return "registration of " + member + " under " + name;
    }
}
