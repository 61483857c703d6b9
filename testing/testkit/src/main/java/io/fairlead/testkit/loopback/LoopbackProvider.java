package io.fairlead.testkit.loopback;

import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import java.util.List;

/**
 * The provider of the transport {@code loopback}, between workers of one process. Thread-safe.
 *
 * <p>The transport is for tests. Because the testkit may be on the class path of an application, the instance that the service loader makes is available
 * only if the system property {@value #PROPERTY} is {@code true}. {@link #available()} makes one that is always available.
 */
public final class LoopbackProvider implements TransportProvider {
    /** The system property that makes the instance of the service loader available. */
    public static final String PROPERTY = "fairlead.loopback.enabled";

    /** The transport's name. */
    public static final String NAME = "loopback";

    /** The most frames that wait for a worker's next progress; beyond that its peers get back-pressure. */
    public static final ConfigKey<Integer> INBOX_MAX = ConfigKey.count(
            "loopback.inbox-max",
            1024,
            1,
            1 << 20,
            "Frames that wait for a worker's next progress, over all of its endpoints.");

    private final Availability availability;

    /** Creates the instance of the service loader. */
    public LoopbackProvider() {
        this(
                Boolean.getBoolean(PROPERTY)
                        ? Availability.AVAILABLE
                        : Availability.unavailable("loopback is for tests and switched off: " + PROPERTY + "="
                                + System.getProperty(PROPERTY, "(unset)") + "; start Java with -D" + PROPERTY
                                + "=true to use it"));
    }

    private LoopbackProvider(Availability availability) {
        this.availability = availability;
    }

    /**
     * Makes a provider whose transport is available without the system property.
     *
     * @return the provider, to be passed to {@link io.fairlead.testkit.ChosenTransports#with}
     */
    public static LoopbackProvider available() {
        return new LoopbackProvider(Availability.AVAILABLE);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Availability availability() {
        return availability;
    }

    @Override
    public List<ConfigKey<?>> configKeys() {
        return List.of(INBOX_MAX);
    }

    @Override
    public Transport open(TransportSetup setup) {
        return new LoopbackTransport(setup.config().value(INBOX_MAX));
    }
}
