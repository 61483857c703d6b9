package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import io.fairlead.node.MemberWatch;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.ServiceName;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Keeps the last answer of a resolver. Thread-safe. */
final class NodeMemberWatch implements MemberWatch {
    private final NodeEngine node;
    private final ProgressLoop home;
    private final ServiceName name;
    private final NodeFuture<MemberWatch> opened = new NodeFuture<>();
    private volatile List<Member> members = List.of();
    private volatile @Nullable FairleadException failure;
    private volatile @Nullable Upkeep upkeep;

    NodeMemberWatch(NodeEngine node, ProgressLoop home, ServiceName name) {
        this.node = node;
        this.home = home;
        this.name = name;
    }

    /** Begins to resolve; the future completes with the first answer. */
    CompletableFuture<MemberWatch> open() {
        NodeDiscovery discovery = node.discovery();
        try {
            Upkeep asking = discovery.resolve(name, this::resolved, this::failed);
            upkeep = asking;
            discovery.start(asking);
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

    private void resolved(Resolution answer) {
        members = answer.members().stream()
                .sorted(Comparator.comparingInt(Member::priority))
                .toList();
        failure = null;
        if (!opened.isDone()) {
            tell(() -> home.deliver(() -> opened.complete(this)));
        } else if (opened.isCompletedExceptionally()) {
            // Nobody waits for the answer any more.
            close();
        }
    }

    private void failed(FairleadException cause) {
        failure = cause;
        if (!opened.isDone()) {
            tell(() -> home.deliver(() -> {
                if (opened.completeExceptionally(cause)) {
                    close();
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

    @Override
    public List<Member> members() {
        return members;
    }

    @Override
    public Optional<FairleadException> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public ServiceName name() {
        return name;
    }

    @Override
    public void close() {
        Upkeep running = upkeep;
        if (running != null) {
            running.stop();
        }
    }

    @Override
    public String toString() {
        return "watch of " + name;
    }
}
