package io.fairlead.spring;

import io.fairlead.services.TypedService;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * The health of each typed service: up from the start of the application to its end, and out of service before and after. An absent registry does not change
 * that: callers that know the service still reach it.
 */
final class ServiceHealth implements CompositeHealthContributor {
    private final FairleadServices services;

    ServiceHealth(FairleadServices services) {
        this.services = services;
    }

    @Override
    public @Nullable HealthContributor getContributor(String name) {
        TypedService service = services.byName().get(name);
        return service == null ? null : indicator(service);
    }

    @Override
    public Stream<HealthContributors.Entry> stream() {
        return services.byName().entrySet().stream()
                .map(entry -> new HealthContributors.Entry(entry.getKey(), indicator(entry.getValue())));
    }

    private HealthIndicator indicator(TypedService service) {
        return () -> (services.isRunning() ? Health.up() : Health.outOfService())
                .withDetail("running", service.running())
                .withDetail("streams", service.streams())
                .withDetail("registered", services.isRegistered())
                .build();
    }
}
