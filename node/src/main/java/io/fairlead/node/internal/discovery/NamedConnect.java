package io.fairlead.node.internal.discovery;

import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.node.Peer;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.NodeFuture;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.peer.ConnectFuture;
import io.fairlead.node.internal.peer.NodePeer;
import io.fairlead.node.internal.peer.NodePeers;
import io.fairlead.node.internal.peer.PeerAddresses;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Connects to the first member of a service that accepts. Its steps run on the thread of one loop, its home. For a peer with a reconnect policy
 * it continues to query the members.
 */
public final class NamedConnect extends NodeFuture<Peer> implements PeerAddresses {
    private final NodePeers peers;
    private final NodeDiscovery discovery;
    private final ProgressLoop home;
    private final ServiceName name;
    private final PathPolicy policy;
    private final ReconnectPolicy reconnect;
    private final Queue<Member> members = new ArrayDeque<>();
    private volatile @Nullable Poller poller;
    private volatile @Nullable ConnectFuture attempt;
    private boolean answered;
    private int tried;
    /** The members of the last non-empty answer, the lowest priority number first. */
    private List<Member> found = List.of();
    /** Attempts since the first connection. */
    private int turn;

    public NamedConnect(
            NodePeers peers,
            NodeDiscovery discovery,
            ProgressLoop home,
            ServiceName name,
            PathPolicy policy,
            ReconnectPolicy reconnect) {
        this.peers = peers;
        this.discovery = discovery;
        this.home = home;
        this.name = name;
        this.policy = policy;
        this.reconnect = reconnect;
    }

    public NamedConnect begin() {
        try {
            Poller asking = discovery.resolve(
                    name, answer -> onHome(() -> answered(answer)), cause -> onHome(() -> unanswered(cause)));
            poller = asking;
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
        ConnectFuture connecting = attempt;
        if (ended) {
            stopResolving();
            if (connecting != null) {
                connecting.cancel(mayInterruptIfRunning);
            }
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
        if (!answer.members().isEmpty()) {
            found = answer.members().stream()
                    .sorted(Comparator.comparingInt(Member::priority))
                    .toList();
        }
        if (answered) {
            return;
        }
        answered = true;
        if (!isFollowing() || isDone()) {
            stopResolving();
        }
        if (isDone()) {
            return;
        }
        members.addAll(found);
        if (members.isEmpty()) {
            end(NodeDiscovery.noMember("connection", name));
        } else {
            tryNext();
        }
    }

    private void unanswered(FairleadException cause) {
        // Later failures change nothing: the members of the last answer stay.
        if (!answered) {
            end(cause);
        }
    }

    private boolean isFollowing() {
        return reconnect.allows(EndpointState.FAILED, 0);
    }

    private void tryNext() {
        Member member = members.remove();
        tried++;
        ConnectFuture connecting = peers.connect(home, member.address(), policy, reconnect);
        attempt = connecting;
        CompletableFuture<Peer> _ = connecting.whenComplete((peer, cause) -> {
            if (cause == null) {
                connected(connecting.peer());
            } else {
                onHome(() -> failed(member, cause));
            }
        });
    }

    private void connected(NodePeer peer) {
        if (!complete(peer)) {
            stopResolving();
            peer.abort();
        } else if (isFollowing()) {
            onHome(() -> peer.link().follow(this));
        }
    }

    @Override
    public InetSocketAddress next() {
        Poller running = poller;
        if (running != null) {
            // The connection was lost, or an attempt has failed: the member may be gone, or have another address.
            running.ask();
        }
        return found.get(Math.floorMod(turn++, found.size())).address();
    }

    @Override
    public void close() {
        stopResolving();
    }

    private void failed(Member member, Throwable cause) {
        if (isDone()) {
            stopResolving();
            return;
        }
        if (!members.isEmpty()) {
            tryNext();
            return;
        }
        Reason reason = cause instanceof FairleadException known ? known.reason() : Reason.TRANSPORT;
        if (tried == 1 && name.toString().equals("static:" + member)) {
            // An address alone, which the cause names.
            end(new FairleadException(reason, String.valueOf(cause.getMessage()), cause));
            return;
        }
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
        Poller running = poller;
        if (running != null) {
            running.stop();
        }
    }
}
