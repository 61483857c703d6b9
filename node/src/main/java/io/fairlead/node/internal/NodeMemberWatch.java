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

/** Keeps the last answer of a resolver. Thread-safe. */
final class NodeMemberWatch extends DiscoveryTask<MemberWatch> implements MemberWatch {
    private volatile List<Member> members = List.of();
    private volatile boolean resolved;

    NodeMemberWatch(NodeEngine node, ProgressLoop home, ServiceName name) {
        super(node, home, name);
    }

    /** Begins to resolve; the future completes with the first answer. */
    CompletableFuture<MemberWatch> open() {
        return begin(() -> node.discovery().resolve(name, this::resolved, this::failed));
    }

    /** Begins to resolve, for whoever waits for no answer. */
    NodeMemberWatch follow() {
        start(this, () -> node.discovery().resolve(name, this::resolved, this::failed));
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
        upkeep().ifPresent(Upkeep::ask);
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
