package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import io.fairlead.node.Registration;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.ServiceName;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An entry of this process in a registry. Thread-safe. */
final class NodeRegistration extends DiscoveryTask<Registration> implements Registration {
    private final Member member;

    NodeRegistration(NodeEngine node, ProgressLoop home, ServiceName name, Member member) {
        super(node, home, name);
        this.member = member;
    }

    /** Begins to register; the future completes when the registry has the entry. */
    CompletableFuture<Registration> open() {
        return begin(() -> node.discovery().register(name, member, () -> succeeded(this), this::failed));
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
        return lastFailure();
    }

    @Override
    public void close() {
        stop();
        upkeep().ifPresent(node.discovery()::awaitEnd);
    }

    @Override
    public String toString() {
        return "registration of " + member + " under " + name;
    }
}
