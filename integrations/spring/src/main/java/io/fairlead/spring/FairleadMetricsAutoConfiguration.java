package io.fairlead.spring;

import io.fairlead.metrics.FairleadMetrics;
import io.fairlead.node.Node;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Puts Fairlead's meters into the application's {@link MeterRegistry}, as Spring does with each binder. Needs {@code fairlead-metrics}. */
@AutoConfiguration(after = FairleadAutoConfiguration.class)
@ConditionalOnClass({FairleadMetrics.class, MeterRegistry.class})
@ConditionalOnBean(Node.class)
public final class FairleadMetricsAutoConfiguration {
    /** For Spring. */
    public FairleadMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    FairleadMetrics fairleadMetrics(Node node) {
        return FairleadMetrics.of(node);
    }
}
