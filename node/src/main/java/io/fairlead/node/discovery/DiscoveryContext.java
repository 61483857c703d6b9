package io.fairlead.node.discovery;

import io.fairlead.FairleadConfig;
import java.time.Duration;
import java.util.Objects;

/** What a node passes to a resolver or registrar. Immutable; {@link #changed()} may be called by any thread. */
public final class DiscoveryContext {
    private final FairleadConfig config;
    private final Duration lease;
    private final Runnable changed;

    /**
     * Creates it.
     *
     * @param config the node's configuration
     * @param lease how long a registry may keep the entry of a process that has died, and how soon it may take an idle client for dead
     * @param changed requests another call
     */
    public DiscoveryContext(FairleadConfig config, Duration lease, Runnable changed) {
        this.config = Objects.requireNonNull(config, "config");
        this.lease = Objects.requireNonNull(lease, "lease");
        this.changed = Objects.requireNonNull(changed, "changed");
    }

    /**
     * The node's configuration.
     *
     * @return never changes
     */
    public FairleadConfig config() {
        return config;
    }

    /**
     * How long a registry may keep the entry of a process that has died.
     *
     * @return {@code node.discovery-lease}
     */
    public Duration lease() {
        return lease;
    }

    /** Has the node call {@link Resolver#resolve} or {@link Registrar#renew} soon, because what they answered may be true no more. */
    public void changed() {
        changed.run();
    }
}
