package io.fairlead.spring;

import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKey;
import io.fairlead.services.ClientOptions;
import io.fairlead.services.TypedServices;
import java.time.Duration;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.StringUtils;

/** Defines the beans of {@link ImportFairleadClients}. */
final class ClientRegistrar implements ImportBeanDefinitionRegistrar {
    private static final Duration DEADLINE_MAX = Duration.ofDays(1);

    private final BeanFactory beans;
    private final Environment environment;

    /** For Spring, which knows both parameters. */
    ClientRegistrar(BeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        MergedAnnotation<ImportFairleadClients> one = metadata.getAnnotations().get(ImportFairleadClients.class);
        MergedAnnotation<ImportFairleadClients.Several> several =
                metadata.getAnnotations().get(ImportFairleadClients.Several.class);
        if (one.isPresent()) {
            define(registry, one.synthesize());
        }
        if (several.isPresent()) {
            for (ImportFairleadClients clients : several.synthesize().value()) {
                define(registry, clients);
            }
        }
    }

    private void define(BeanDefinitionRegistry registry, ImportFairleadClients clients) {
        for (Class<?> type : clients.types()) {
            define(registry, clients, type);
        }
    }

    private <T> void define(BeanDefinitionRegistry registry, ImportFairleadClients clients, Class<T> type) {
        RootBeanDefinition definition = new RootBeanDefinition(type, () -> client(clients, type));
        definition.setDependsOn("fairleadSets");
        registry.registerBeanDefinition(StringUtils.uncapitalize(type.getSimpleName()) + "Client", definition);
    }

    private <T> T client(ImportFairleadClients clients, Class<T> type) {
        return TypedServices.client(
                beans.getBean(FairleadSets.class).set(clients.set()),
                type,
                Codecs.named(clients.codec(), beans, "client of " + type.getSimpleName()),
                options(clients));
    }

    private ClientOptions options(ImportFairleadClients clients) {
        ClientOptions options = beans.getBeanProvider(ClientOptions.class).getIfAvailable(() -> ClientOptions.DEFAULT);
        String deadline = environment.resolveRequiredPlaceholders(clients.deadline());
        if (deadline.isBlank()) {
            return options;
        }
        try {
            return options.withDeadline(ConfigKey.duration(
                            "deadline",
                            options.deadline(),
                            Duration.ofMillis(1),
                            DEADLINE_MAX,
                            "How long a call may take.")
                    .parse(deadline));
        } catch (IllegalArgumentException refused) {
            throw new FairleadException(
                    FairleadException.Reason.CONFIGURATION,
                    "clients of set " + clients.set() + ": " + refused.getMessage(),
                    refused);
        }
    }
}
