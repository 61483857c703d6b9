package io.fairlead.spring;

import io.fairlead.node.Node;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Has the application's health say how node, peers, listeners, services and sets are. {@code management.health.fairlead.enabled=false} turns it off. */
@AutoConfiguration(
        after = FairleadAutoConfiguration.class,
        beforeName = "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration")
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean({Node.class, FairleadPeers.class, FairleadListeners.class, FairleadServices.class, FairleadSets.class
})
@ConditionalOnEnabledHealthIndicator("fairlead")
public final class FairleadHealthAutoConfiguration {
    /** For Spring. */
    public FairleadHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "fairleadHealthIndicator")
    FairleadHealthIndicator fairleadHealthIndicator(
            Node node, FairleadPeers peers, FairleadListeners listeners, ListableBeanFactory beans) {
        return new FairleadHealthIndicator(node, peers, listeners, beans);
    }

    /** A service each; its name is {@code fairleadServices}. */
    @Bean
    @ConditionalOnMissingBean(name = "fairleadServicesHealthContributor")
    CompositeHealthContributor fairleadServicesHealthContributor(FairleadServices services) {
        return new ServiceHealth(services);
    }

    /** A set each; its name is {@code fairleadSets}. */
    @Bean
    @ConditionalOnMissingBean(name = "fairleadSetsHealthContributor")
    CompositeHealthContributor fairleadSetsHealthContributor(FairleadSets sets) {
        return new SetHealth(sets);
    }
}
