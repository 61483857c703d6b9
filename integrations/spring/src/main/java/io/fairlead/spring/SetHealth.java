package io.fairlead.spring;

import io.fairlead.node.PeerSet;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;

/** The health of each set of peers: up while a member is connected. */
final class SetHealth implements CompositeHealthContributor {
    private final FairleadSets sets;

    SetHealth(FairleadSets sets) {
        this.sets = sets;
    }

    @Override
    public @Nullable HealthContributor getContributor(String name) {
        return sets.names().contains(name) ? indicator(sets.set(name)) : null;
    }

    @Override
    public Stream<HealthContributors.Entry> stream() {
        return sets.names().stream().map(name -> new HealthContributors.Entry(name, indicator(sets.set(name))));
    }

    private static HealthIndicator indicator(PeerSet set) {
        return () -> {
            int connected = set.peers().size();
            Health.Builder health = (connected > 0 ? Health.up() : Health.down())
                    .withDetail("members", set.members().size())
                    .withDetail("connected", connected);
            set.failure()
                    .ifPresent(failure -> health.withDetail(
                            "failure",
                            failure.reason().name().toLowerCase(Locale.ROOT).replace('_', '-')));
            return health.build();
        };
    }
}
