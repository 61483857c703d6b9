package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.ReconnectPolicy;
import io.fairlead.node.Peer;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.ServiceName;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Connects to the first member of a service that lets itself be connected to. Its steps run on the thread of one loop, its home. */
final class NamedConnect extends NodeFuture<Peer> {
    private final NodeEngine node;
    private final ProgressLoop home;
    private final ServiceName name;
    private final Queue<Member> members = new ArrayDeque<>();
    private volatile @Nullable Upkeep upkeep;
    private volatile @Nullable ConnectFuture attempt;
    private boolean answered;
    private int tried;

    NamedConnect(NodeEngine node, ProgressLoop home, ServiceName name) {
        this.node = node;
        this.home = home;
        this.name = name;
    }

    NamedConnect begin() {
        NodeDiscovery discovery = node.discovery();
        try {
            Upkeep asking = discovery.resolve(
                    name, answer -> onHome(() -> answered(answer)), cause -> onHome(() -> end(cause)));
            upkeep = asking;
            discovery.start(asking);
        } catch (IllegalArgumentException malformed) {
            throw malformed;
        } catch (RuntimeException refused) {
            completeExceptionally(refused);
            return this;
        }
        onHome(() -> home.timers().after(discovery.firstAnswerNs(), () -> {
            if (!answered) {
                end(discovery.noAnswer(name));
            }
        }));
        return this;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean ended = super.cancel(mayInterruptIfRunning);
        stopResolving();
        ConnectFuture connecting = attempt;
        if (ended && connecting != null) {
            connecting.cancel(mayInterruptIfRunning);
        }
        return ended;
    }

    private void onHome(Runnable command) {
        home.execute(new LoopTask() {
            @Override
            public void accept(ProgressLoop loop) {
                command.run();
            }

            @Override
            public void refuse(FairleadException cause) {
                completeExceptionally(cause);
            }
        });
    }

    private void answered(Resolution answer) {
        if (answered) {
            return;
        }
        answered = true;
        stopResolving();
        answer.members().stream()
                .sorted(Comparator.comparingInt(Member::priority))
                .forEach(members::add);
        if (members.isEmpty()) {
            end(NodeDiscovery.noMember("connection", name));
        } else {
            next();
        }
    }

    private void next() {
        Member member = members.remove();
        tried++;
        ConnectFuture connecting =
                node.connect(home, member.address(), node.settings().policy(), ReconnectPolicy.NEVER);
        attempt = connecting;
        CompletableFuture<Peer> _ = connecting.whenComplete((peer, cause) -> {
            if (cause == null) {
                if (!complete(peer)) {
                    peer.abort();
                }
            } else {
                onHome(() -> failed(member, cause));
            }
        });
    }

    private void failed(Member member, Throwable cause) {
        if (isDone()) {
            return;
        }
        if (!members.isEmpty()) {
            next();
            return;
        }
        Reason reason = cause instanceof FairleadException known ? known.reason() : Reason.TRANSPORT;
        end(new FairleadException(
                reason,
                "cannot connect to a service: name=" + name + ", members tried=" + tried + ", last=" + member
                        + ", cause: " + cause.getMessage(),
                cause));
    }

    private void end(FairleadException cause) {
        stopResolving();
        home.deliver(() -> completeExceptionally(cause));
    }

    private void stopResolving() {
        Upkeep running = upkeep;
        if (running != null) {
            running.stop();
        }
    }
}
