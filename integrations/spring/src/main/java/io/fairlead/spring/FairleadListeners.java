package io.fairlead.spring;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.spi.CloseSteps;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.thread.Threading;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;

/**
 * All {@linkplain FairleadListener listeners} of an application: they start when everything else has started and stop before anything else does.
 * Thread-safe.
 */
public final class FairleadListeners implements SmartLifecycle, SmartInitializingSingleton {
    /** Late to start and early to stop, as containers of listeners are in Spring. */
    private static final int PHASE = Integer.MAX_VALUE - 100;

    private static final int CONCURRENCY_MAX = 256;

    private final Node node;
    private final FairleadConfig config;
    private final Environment environment;
    private final ListenerMethods methods;
    private final ObjectProvider<PayloadConverter> converters;
    private final ListenerObserver observer;
    private final SubscriberOptions subscriberOptions;
    private final SubscriptionOptions subscriptionOptions;
    private volatile List<FairleadListenerContainer> containers = List.of();
    private volatile boolean running;

    FairleadListeners(
            Node node,
            FairleadConfig config,
            Environment environment,
            ListenerMethods methods,
            ObjectProvider<PayloadConverter> converters,
            ListenerObserver observer,
            SubscriberOptions subscriberOptions,
            SubscriptionOptions subscriptionOptions) {
        this.node = node;
        this.config = config;
        this.environment = environment;
        this.methods = methods;
        this.converters = converters;
        this.observer = observer;
        this.subscriberOptions = subscriberOptions;
        this.subscriptionOptions = subscriptionOptions;
    }

    /**
     * The listeners.
     *
     * @return one for each method, in the order of beans; immutable
     */
    public List<FairleadListenerContainer> containers() {
        return containers;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<PayloadConverter> known = converters.orderedStream().toList();
        List<FairleadListenerContainer> made = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (ListenerMethod method : methods.methods()) {
            if (!ids.add(method.id())) {
                throw refused("listeners share an id: id=" + method.id() + "; give each an id of its own");
            }
            made.add(new FairleadListenerContainer(method, settings(method), method.conversion(known), observer));
        }
        containers = List.copyOf(made);
    }

    private ListenerSettings settings(ListenerMethod method) {
        FairleadListener listener = method.listener();
        String address = environment.resolveRequiredPlaceholders(listener.address());
        if (address.isBlank()) {
            address = config.value(SpringKeys.SUBSCRIBER_ADDRESS);
        }
        if (address.isBlank()) {
            throw refused("listener has no publisher: listener=" + method.id()
                    + "; set fairlead.spring.subscriber.address, or address in the annotation");
        }
        try {
            Addresses.service(address);
        } catch (IllegalArgumentException malformed) {
            throw refused("listener's address is none: listener=" + method.id() + ", address=" + address
                    + "; it is to be host:port, [IPv6 address]:port, or a name such as dns:host:port");
        }
        int concurrency = listener.concurrency();
        if (concurrency < 0 || concurrency > CONCURRENCY_MAX) {
            throw refused("listener's concurrency is out of range: listener=" + method.id() + ", concurrency="
                    + concurrency + ", allowed 1 to " + CONCURRENCY_MAX
                    + ", or 0 for fairlead.spring.listener.concurrency");
        }
        return new ListenerSettings(
                environment.resolveRequiredPlaceholders(listener.topic()),
                address,
                concurrency == 0 ? config.value(SpringKeys.LISTENER_CONCURRENCY) : concurrency,
                config.value(SpringKeys.LISTENER_QUEUE_MAX),
                Threading.VIRTUAL.isActive(environment)
                        ? ListenerSettings.Threads.VIRTUAL
                        : ListenerSettings.Threads.PLATFORM,
                config.value(ConfigKeys.CLOSE_TIMEOUT).toMillis());
    }

    private static FairleadException refused(String message) {
        return new FairleadException(FairleadException.Reason.CONFIGURATION, message);
    }

    @Override
    public void start() {
        running = true;
        containers.forEach(container -> container.start(node, subscriberOptions, subscriptionOptions));
    }

    @Override
    public void stop() {
        running = false;
        CloseSteps.runEach(containers, FairleadListenerContainer::stop);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
