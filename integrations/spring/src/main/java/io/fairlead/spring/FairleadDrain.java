package io.fairlead.spring;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;

/**
 * Lets the node's peers go when the application ends, before the web server stops: readiness is refused, the node {@linkplain Node#drain drains}, and requests
 * that run are answered. Takes at most {@code spring.lifecycle.timeout-per-shutdown-phase}, or {@code close.timeout} with
 * {@code server.shutdown=immediate}. Thread-safe.
 */
public final class FairleadDrain implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(FairleadDrain.class);

    /** With the listeners and before everything that a handler may need. */
    private static final int PHASE = SmartLifecycle.DEFAULT_PHASE;

    /** Spring waits no longer, and must not find the drain unfinished. */
    private static final Duration SLACK = Duration.ofMillis(500);

    private final Node node;
    private final ApplicationContext application;
    private final Duration timeout;
    private volatile boolean running;

    FairleadDrain(Node node, FairleadConfig config, ApplicationContext application) {
        this.node = node;
        this.application = application;
        this.timeout = timeout(config, application.getEnvironment());
    }

    private static Duration timeout(FairleadConfig config, Environment environment) {
        if (environment.getProperty("server.shutdown", "graceful").equalsIgnoreCase("immediate")) {
            return config.value(ConfigKeys.CLOSE_TIMEOUT);
        }
        Duration phase = DurationStyle.detectAndParse(
                environment.getProperty("spring.lifecycle.timeout-per-shutdown-phase", "30s"));
        return phase.compareTo(SLACK.multipliedBy(2)) > 0 ? phase.minus(SLACK) : phase.dividedBy(2);
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        AvailabilityChangeEvent.publish(application, ReadinessState.REFUSING_TRAFFIC);
        if (!node.drain(timeout)) {
            LOG.warn(
                    "requests are not all answered, and the application ends; limit={} ms of spring.lifecycle.timeout-per-shutdown-phase",
                    timeout.toMillis());
        }
    }

    @Override
    public void stop(Runnable callback) {
        // Other beans of the phase stop meanwhile.
        Thread.ofVirtual().name("fairlead-drain").start(() -> {
            try {
                stop();
            } finally {
                callback.run();
            }
        });
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
