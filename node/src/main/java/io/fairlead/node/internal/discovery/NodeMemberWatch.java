package io.fairlead.node.internal.discovery;

import io.fairlead.FairleadException;
import io.fairlead.node.MemberWatch;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.node.internal.loop.ProgressLoop;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Keeps the last answer of a resolver. Thread-safe. */
public final class NodeMemberWatch extends DiscoveryTask<MemberWatch> implements MemberWatch {
    private volatile List<Member> members = List.of();
    private volatile boolean resolved;

    public NodeMemberWatch(NodeDiscovery discovery, ProgressLoop home, ServiceName name) {
        super(discovery, home, name);
    }

    /** Begins to resolve; the future completes with the first answer. */
    public CompletableFuture<MemberWatch> open() {
        return begin(() -> discovery.resolve(name, this::resolved, this::failed));
    }

    /** Begins to resolve, for a caller that waits for no answer. */
    public NodeMemberWatch follow() {
        start(this, () -> discovery.resolve(name, this::resolved, this::failed));
        return this;
    }

    private void resolved(Resolution answer) {
        members = answer.members().stream()
                .sorted(Comparator.comparingInt(Member::priority))
                .toList();
        resolved = true;
        succeeded(this);
    }

    @Override
    public List<Member> members() {
        return members;
    }

    @Override
    public boolean isResolved() {
        return resolved;
    }

    @Override
    public void refresh() {
        poller().ifPresent(Poller::ask);
    }

    @Override
    public Optional<FairleadException> failure() {
        return lastFailure();
    }

    @Override
    public ServiceName name() {
        return name;
    }

    @Override
    public void close() {
        stop();
    }

    @Override
    public String toString() {
        return "watch of " + name;
    }
}
