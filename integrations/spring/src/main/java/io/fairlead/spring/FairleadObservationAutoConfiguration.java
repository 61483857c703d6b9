package io.fairlead.spring;

import io.fairlead.metrics.FairleadObservations;
import io.fairlead.node.NodeObserver;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Reports the node's operations and calls of listeners ({@code fairlead.listener}) to the application's {@link ObservationRegistry}. Needs
 * {@code fairlead-metrics}; {@code fairlead.spring.observations=false} turns it off.
 */
@AutoConfiguration(
        before = FairleadAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass({FairleadObservations.class, ObservationRegistry.class})
@ConditionalOnBean(ObservationRegistry.class)
@Conditional({OnFlag.Enabled.class, OnFlag.Observations.class})
@SuppressWarnings("exports") // Spring alone looks at the conditions.
public final class FairleadObservationAutoConfiguration {
    /** For Spring. */
    public FairleadObservationAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(NodeObserver.class)
    FairleadObservations fairleadObservations(ObservationRegistry registry) {
        return FairleadObservations.of(registry);
    }

    @Bean
    ListenerObserver fairleadListenerObserver(ObservationRegistry registry) {
        return new ObservedListener(registry);
    }
}
