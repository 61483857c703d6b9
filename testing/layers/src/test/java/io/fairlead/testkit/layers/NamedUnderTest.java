package io.fairlead.testkit.layers;

import io.fairlead.Capability;
import io.fairlead.FairleadConfig;
import io.fairlead.PathClass;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.contract.TransportUnderTest;
import io.fairlead.testkit.internal.AskedProvider;
import io.fairlead.testkit.loopback.LoopbackProvider;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;

/** What the suites have to know about the transport that the run names; loopback without a name. */
final class NamedUnderTest implements TransportUnderTest {
    private static final String NAME = System.getProperty("fairlead.test.layers.transport", LoopbackProvider.NAME);
    private static final boolean LOOPBACK = NAME.equals(LoopbackProvider.NAME);

    private final TransportProvider provider = LOOPBACK ? LoopbackProvider.available() : loaded();

    private static TransportProvider loaded() {
        for (TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            if (provider.name().equals(NAME)) {
                return NAME.equals("ucx") ? new AskedProvider(provider) : provider;
            }
        }
        throw new IllegalStateException("no such transport on the class path: name=" + NAME);
    }

    @Override
    public TransportProvider provider() {
        return provider;
    }

    @Override
    public Set<Capability> capabilities() {
        return switch (NAME) {
            case "shm" -> EnumSet.allOf(Capability.class);
            case "ucx" -> EnumSet.complementOf(EnumSet.of(Capability.MAPPED_MEMORY));
            default -> EnumSet.complementOf(EnumSet.of(Capability.ONE_SIDED, Capability.MAPPED_MEMORY));
        };
    }

    @Override
    public PathClass pathClass() {
        return switch (NAME) {
            case LoopbackProvider.NAME -> PathClass.IN_PROCESS;
            case "tcp" -> PathClass.TCP;
            default -> PathClass.SHARED_MEMORY;
        };
    }

    @Override
    public FairleadConfig configure(FairleadConfig base) {
        return switch (NAME) {
            // Not as the host's processors have it.
            case "shm" -> with(base, "shm.one-copy", "always");
            // Without the lanes that UCX adds where there is a network card.
            case "ucx" -> with(base, "ucx.tls", "posix,sysv,cma,self");
            default -> base;
        };
    }

    private FairleadConfig with(FairleadConfig base, String name, String value) {
        for (ConfigKey<?> key : provider.configKeys()) {
            if (key.name().equals(name)) {
                return with(base, key, value);
            }
        }
        throw new IllegalStateException("the transport has no such key: name=" + name + ", transport=" + NAME);
    }

    private static <T> FairleadConfig with(FairleadConfig base, ConfigKey<T> key, String value) {
        return base.with(key, key.parse(value));
    }

    @Override
    public Map<String, String> leftOut() {
        return LOOPBACK
                ? Map.of("NodeRequestProcessContract", "loopback connects workers of one process only")
                : Map.of();
    }

    @Override
    public List<String> jvmOptions() {
        return LOOPBACK ? List.of("-D" + LoopbackProvider.PROPERTY + "=true") : List.of();
    }
}
