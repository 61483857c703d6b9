package io.fairlead.spring;

import io.fairlead.Authorizer;
import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.PublisherOptions;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.SubscriptionOptions;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/**
 * Configures a {@link Node}, and a {@link NodePublisher} and {@link NodeSubscriber} where {@link SpringKeys} are set. Each steps back for a bean of the
 * application's own. All are closed with the context, the node last.
 *
 * <p>These beans of the application's are used if there are any: an {@link Authorizer}, a {@link NodeObserver}, an {@link Executor} named {@code fairleadExecutor} for
 * futures and handlers of the node, {@link PublisherOptions}, {@link SubscriberOptions}, {@link SubscriptionOptions}, {@link PayloadConverter}s,
 * {@link PeerSetOptions}, and of typed services {@code ServeOptions} and {@code ClientOptions}.
 */
@AutoConfiguration
@Conditional(OnFlag.Enabled.class)
@SuppressWarnings("exports") // Spring alone looks at the condition.
public final class FairleadAutoConfiguration {
    /** For Spring. */
    public FairleadAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    FairleadConfig fairleadConfig(Environment environment) {
        return PropertyReader.read(environment);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Node fairleadNode(
            FairleadConfig config,
            ObjectProvider<Authorizer> authorizer,
            ObjectProvider<NodeObserver> observer,
            @Qualifier("fairleadExecutor") ObjectProvider<Executor> executor) {
        Node node = start(config, authorizer, executor);
        observer.ifUnique(node::observe);
        return node;
    }

    private static Node start(
            FairleadConfig config, ObjectProvider<Authorizer> authorizer, ObjectProvider<Executor> executor) {
        Executor chosen = executor.getIfAvailable();
        Authorizer decides = authorizer.getIfAvailable();
        if (decides == null) {
            return chosen == null ? Node.start(config) : Node.start(config, chosen);
        }
        return chosen == null ? Node.start(config, decides) : Node.start(config, chosen, decides);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    @ConditionalOnProperty("fairlead.spring.publisher.address")
    NodePublisher fairleadPublisher(Node node, FairleadConfig config, ObjectProvider<PublisherOptions> options) {
        return Futures.join(NodePublisher.listen(
                node,
                Addresses.resolved(config.value(SpringKeys.PUBLISHER_ADDRESS)),
                options.getIfAvailable(PublisherOptions::defaults)));
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    @ConditionalOnProperty("fairlead.spring.subscriber.address")
    NodeSubscriber fairleadSubscriber(Node node, FairleadConfig config, ObjectProvider<SubscriberOptions> options) {
        return Futures.join(NodeSubscriber.connect(
                node,
                Addresses.service(config.value(SpringKeys.SUBSCRIBER_ADDRESS)),
                options.getIfAvailable(SubscriberOptions::defaults)));
    }

    @Bean
    @ConditionalOnMissingBean
    FairleadPeers fairleadPeers(Node node, FairleadConfig config) {
        return new FairleadPeers(
                node, config.value(ConfigKeys.POLICY), Addresses.named(config.value(SpringKeys.PEERS)));
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    FairleadSets fairleadSets(Node node, FairleadConfig config, ObjectProvider<PeerSetOptions> options) {
        return new FairleadSets(
                node, Addresses.named(config.value(SpringKeys.SETS)), options.getIfAvailable(PeerSetOptions::defaults));
    }

    @Bean
    @ConditionalOnMissingBean
    FairleadServices fairleadServices(Node node, FairleadConfig config, ListableBeanFactory beans) {
        return new FairleadServices(node, config, beans);
    }

    @Bean
    @ConditionalOnMissingBean
    FairleadDrain fairleadDrain(Node node, FairleadConfig config, ApplicationContext application) {
        return new FairleadDrain(node, config, application);
    }

    @Bean
    static ListenerMethods fairleadListenerMethods() {
        return new ListenerMethods();
    }

    @Bean
    FairleadListeners fairleadListeners(
            Node node,
            FairleadConfig config,
            Environment environment,
            ListenerMethods methods,
            ObjectProvider<PayloadConverter> converters,
            ObjectProvider<ListenerObserver> observer,
            ObjectProvider<SubscriberOptions> subscriberOptions,
            ObjectProvider<SubscriptionOptions> subscriptionOptions) {
        return new FairleadListeners(
                node,
                config,
                environment,
                methods,
                converters,
                observer.getIfAvailable(() -> ListenerObserver.NONE),
                subscriberOptions.getIfAvailable(SubscriberOptions::defaults),
                // An application that starts slowly makes its topics late, and nobody starts a listener again.
                subscriptionOptions.getIfAvailable(
                        () -> SubscriptionOptions.defaults().withTopicTimeout(SubscriptionOptions.TOPIC_TIMEOUT_MAX)));
    }
}
