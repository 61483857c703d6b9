package io.fairlead.spring;

import io.fairlead.EndpointState;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.pubsub.SubscriptionState;
import io.fairlead.statistics.Counter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up while the node makes progress, every peer of {@link FairleadPeers} and every bean of type {@link Peer} is connected, and every listener receives. Details
 * name peers and listeners with their states, the kinds of failures and the transports; never an address, an identity or a key. Thread-safe.
 */
public final class FairleadHealthIndicator extends AbstractHealthIndicator {
    private final Node node;
    private final FairleadPeers peers;
    private final FairleadListeners listeners;
    private final ListableBeanFactory beans;

    FairleadHealthIndicator(Node node, FairleadPeers peers, FairleadListeners listeners, ListableBeanFactory beans) {
        super("Fairlead's state cannot be read");
        this.node = node;
        this.peers = peers;
        this.listeners = listeners;
        this.beans = beans;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        builder.up();
        progress(builder);
        Map<String, String> states = new TreeMap<>();
        for (String name : peers.names()) {
            states.put(
                    name, peers.find(name).map(FairleadHealthIndicator::text).orElse(word(EndpointState.CONNECTING)));
            downUnless(builder, peers.state(name) == EndpointState.CONNECTED);
        }
        beans.getBeansOfType(Peer.class, false, false).forEach((name, peer) -> {
            states.put(name, text(peer));
            downUnless(builder, peer.state() == EndpointState.CONNECTED);
        });
        builder.withDetail("peers", states);
        Map<String, String> subscriptions = new TreeMap<>();
        for (FairleadListenerContainer container : listeners.containers()) {
            SubscriptionState state = container.state();
            subscriptions.put(container.id(), word(state));
            downUnless(builder, state == SubscriptionState.LIVE);
        }
        builder.withDetail("listeners", subscriptions);
    }

    private void progress(Health.Builder builder) {
        boolean open = node.context().statistics().value(Counter.WORKERS) > 0;
        long stallNs = node.context().statistics().value(Counter.PROGRESS_STALL_NS);
        long limitNs =
                node.context().config().value(ConfigKeys.LIVENESS_TIMEOUT).toNanos();
        downUnless(builder, open && stallNs <= limitNs);
        builder.withDetail("node", open ? "open" : "closed");
        if (stallNs > limitNs) {
            builder.withDetail("progress", "stands still for " + TimeUnit.NANOSECONDS.toMillis(stallNs) + " ms");
        }
    }

    private static void downUnless(Health.Builder builder, boolean good) {
        if (!good) {
            builder.down();
        }
    }

    private static String text(Peer peer) {
        EndpointState state = peer.state();
        if (state == EndpointState.CONNECTED) {
            return word(state) + " by " + peer.path().transport();
        }
        return word(state)
                + peer.failure()
                        .map(failure -> " after " + word(failure.reason()))
                        .orElse("");
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
