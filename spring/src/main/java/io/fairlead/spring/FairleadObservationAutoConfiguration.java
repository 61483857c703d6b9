package io.fairlead.spring;

import io.fairlead.metrics.FairleadObservations;
import io.fairlead.node.NodeObserver;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Has the application's {@link ObservationRegistry} told of the node's operations and of calls of listeners ({@code fairlead.listener}). Needs
 * {@code fairlead-metrics}; {@code fairlead.spring.observations=false} turns it off.
 */
@AutoConfiguration(
        before = FairleadAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass({FairleadObservations.class, ObservationRegistry.class})
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "fairlead.spring.observations", matchIfMissing = true)
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
