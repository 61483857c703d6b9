package io.fairlead.spring;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.ReconnectPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Registration;
import io.fairlead.node.discovery.Member;
import io.fairlead.services.ServeOptions;
import io.fairlead.services.TypedService;
import io.fairlead.services.TypedServices;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.ClassUtils;

/**
 * The typed services of an application: the beans with {@link FairleadService}. The node listens for their callers at {@code fairlead.spring.services.address},
 * and is registered as {@code fairlead.spring.services.name}, when everything else has started. {@link FairleadDrain} ends both. Thread-safe.
 */
public final class FairleadServices implements SmartLifecycle, SmartInitializingSingleton {
    private static final Logger LOG = LoggerFactory.getLogger(FairleadServices.class);
    private static final ReconnectPolicy AGAIN = ReconnectPolicy.always(Duration.ofMillis(100), Duration.ofSeconds(10));

    private final Node node;
    private final FairleadConfig config;
    private final ListableBeanFactory beans;
    private volatile Map<String, TypedService> services = Map.of();
    private volatile @Nullable Listener listener;
    private volatile @Nullable Registration registration;
    private volatile boolean running;

    FairleadServices(Node node, FairleadConfig config, ListableBeanFactory beans) {
        this.node = node;
        this.config = config;
        this.beans = beans;
    }

    /**
     * The services.
     *
     * @return in the order of their names; immutable
     */
    public List<TypedService> services() {
        return List.copyOf(services.values());
    }

    /**
     * Where the node listens for callers.
     *
     * @return the address with its port; empty without {@code fairlead.spring.services.address}, and before the application has started
     */
    public Optional<InetSocketAddress> address() {
        return Optional.ofNullable(listener).map(Listener::address);
    }

    /**
     * Whether the registry has an entry of this node.
     *
     * @return false without {@code fairlead.spring.services.name}, and until the registry has answered
     */
    public boolean isRegistered() {
        Registration present = registration;
        return present != null && present.failure().isEmpty();
    }

    /** The services by the names of their interfaces. */
    Map<String, TypedService> byName() {
        return services;
    }

    @Override
    public void afterSingletonsInstantiated() {
        ServeOptions options = beans.getBeanProvider(ServeOptions.class).getIfAvailable(() -> ServeOptions.DEFAULT);
        Map<String, TypedService> served = new TreeMap<>();
        for (String name : beans.getBeanNamesForAnnotation(FairleadService.class)) {
            FairleadService annotation =
                    Objects.requireNonNull(beans.findAnnotationOnBean(name, FairleadService.class), name);
            serve(name, beans.getBean(name), annotation, options, served);
        }
        services = Map.copyOf(served);
    }

    private <T> void serve(
            String beanName,
            Object bean,
            FairleadService annotation,
            ServeOptions options,
            Map<String, TypedService> served) {
        @SuppressWarnings("unchecked") // The bean is an instance of it.
        Class<T> type = (Class<T>) type(beanName, bean, annotation);
        if (served.containsKey(type.getSimpleName())) {
            throw refused("two beans serve interfaces of one name: name=" + type.getSimpleName() + ", second bean="
                    + beanName + "; rename one of the interfaces");
        }
        try {
            served.put(
                    type.getSimpleName(),
                    TypedServices.serve(
                            node,
                            type,
                            type.cast(bean),
                            Codecs.named(annotation.codec(), beans, "service " + type.getSimpleName()),
                            options));
        } catch (IllegalArgumentException | IllegalStateException misdeclared) {
            throw new FairleadException(
                    Reason.CONFIGURATION, "bean cannot be served: bean=" + beanName + ", " + misdeclared.getMessage());
        }
    }

    private static Class<?> type(String beanName, Object bean, FairleadService annotation) {
        if (annotation.type() != void.class) {
            if (!annotation.type().isInstance(bean)) {
                throw refused("bean does not have the interface that it is to serve: bean=" + beanName + ", type="
                        + annotation.type().getName() + "; implement it");
            }
            return annotation.type();
        }
        List<Class<?>> named = new ArrayList<>();
        for (Class<?> type = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
                type != null && named.isEmpty();
                type = type.getSuperclass()) {
            named.addAll(Arrays.asList(type.getInterfaces()));
        }
        if (named.size() != 1) {
            throw refused("bean is to serve its only interface: bean=" + beanName + ", interfaces="
                    + named.stream().map(Class::getSimpleName).toList()
                    + "; name one with @FairleadService(type = ...)");
        }
        return named.getFirst();
    }

    private static FairleadException refused(String message) {
        return new FairleadException(Reason.CONFIGURATION, message);
    }

    @Override
    public void start() {
        running = true;
        String address = config.value(SpringKeys.SERVICES_ADDRESS);
        String name = config.value(SpringKeys.SERVICES_NAME);
        if (!address.isEmpty()) {
            listener = node.listen(Addresses.resolved(address), _ -> {});
        }
        if (!name.isEmpty()) {
            register(name, member(), 0);
        }
    }

    /** What others see of this node. */
    private Member member() {
        InetSocketAddress own = address()
                .orElseThrow(() -> refused(
                        "a service without an address cannot be registered: set fairlead.spring.services.address"));
        String advertised = config.value(SpringKeys.SERVICES_ADVERTISED);
        InetSocketAddress address = advertised.isEmpty() ? own : Addresses.unresolved(advertised);
        if (address.getPort() == 0) {
            address = InetSocketAddress.createUnresolved(address.getHostString(), own.getPort());
        }
        if (!address.isUnresolved() && address.getAddress().isAnyLocalAddress()) {
            throw refused("callers cannot reach the address that would be registered: address=" + Member.text(own)
                    + "; set fairlead.spring.services.advertised to the host's name or address");
        }
        String nodeName = config.value(ConfigKeys.NODE_NAME);
        return nodeName.isEmpty() ? Member.at(address) : Member.of(nodeName, address);
    }

    /** Registers, again and again until the registry has answered once; from then on the node keeps the entry. */
    private void register(String name, Member member, int failed) {
        if (!running) {
            return;
        }
        CompletableFuture<Registration> attempt = node.register(name, member);
        if (attempt.isCompletedExceptionally()
                && attempt.exceptionNow() instanceof FairleadException refused
                && refused.reason() == Reason.UNSUPPORTED) {
            throw refused;
        }
        CompletableFuture<Registration> _ = attempt.whenComplete((made, failure) -> {
            if (failure == null) {
                registration = made;
                return;
            }
            LOG.atLevel(failed == 0 ? Level.WARN : Level.DEBUG)
                    .log("not registered, and tried again: name={}, cause: {}", name, failure.getMessage());
            CompletableFuture.delayedExecutor(AGAIN.pause(failed).toMillis(), TimeUnit.MILLISECONDS)
                    .execute(() -> register(name, member, failed + 1));
        });
    }

    /** Takes nothing away yet: {@link FairleadDrain} notifies callers first. */
    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
