package io.fairlead.node.internal.discovery;

import io.fairlead.FairleadException;
import io.fairlead.node.Registration;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.node.internal.loop.ProgressLoop;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An entry of this process in a registry. Thread-safe. */
public final class NodeRegistration extends DiscoveryTask<Registration> implements Registration {
    private final Member member;

    public NodeRegistration(NodeDiscovery discovery, ProgressLoop home, ServiceName name, Member member) {
        super(discovery, home, name);
        this.member = member;
    }

    /** Begins to register; the future completes when the registry has the entry. */
    public CompletableFuture<Registration> open() {
        return begin(() -> discovery.register(name, member, () -> succeeded(this), this::failed));
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
        poller().ifPresent(discovery::awaitEnd);
    }

    @Override
    public String toString() {
        return "registration of " + member + " under " + name;
    }
}
