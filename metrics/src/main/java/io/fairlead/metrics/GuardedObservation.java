package io.fairlead.metrics;

import io.micrometer.observation.Observation;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An observation around the application's work. The work runs whatever the registry's handlers throw; their exceptions are logged.
 * Exceptions of the work pass unchanged. Belongs to one thread.
 */
final class GuardedObservation {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedObservation.class);

    private final @Nullable Observation observation;

    private GuardedObservation(@Nullable Observation observation) {
        this.observation = observation;
    }

    /**
     * Starts an observation.
     *
     * @param making makes it; what that throws leaves the work unobserved
     */
    static GuardedObservation start(Supplier<Observation> making) {
        Observation made = null;
        try {
            made = making.get();
            made.start();
        } catch (Throwable thrown) {
            log(thrown);
        }
        return new GuardedObservation(made);
    }

    /** Does work while the observation is current, and ends the observation with it. */
    void around(Runnable work) {
        Observation.Scope scope = openScope();
        try {
            work.run();
        } catch (Throwable thrown) {
            failed(thrown);
            throw thrown;
        } finally {
            if (scope != null) {
                guard(scope::close);
            }
            stop();
        }
    }

    private Observation.@Nullable Scope openScope() {
        try {
            return observation == null ? null : observation.openScope();
        } catch (Throwable thrown) {
            log(thrown);
            return null;
        }
    }

    void failed(Throwable cause) {
        if (observation != null) {
            guard(() -> observation.error(cause));
        }
    }

    void lowCardinality(String key, String value) {
        if (observation != null) {
            guard(() -> observation.lowCardinalityKeyValue(key, value));
        }
    }

    void stop() {
        if (observation != null) {
            guard(observation::stop);
        }
    }

    private static void guard(Runnable handlers) {
        try {
            handlers.run();
        } catch (Throwable thrown) {
            log(thrown);
        }
    }

    private static void log(Throwable thrown) {
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        try {
            LOG.error("an observation handler threw; what it observes goes on", thrown);
        } catch (Throwable unprintable) {
            // An exception's text may throw as well, and the work must not wait for that.
        }
    }
}
