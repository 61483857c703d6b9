package io.fairlead.internal.providers;

import io.fairlead.spi.ServiceLoaders;
import io.fairlead.spi.TransportProvider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Where a context finds its transports: on the class and module path, unless a caller says otherwise for the length of a
 * call. Tests decorate transports in this way. Thread-safe.
 */
public final class TransportProviders {
    private static final ScopedValue<List<TransportProvider>> CHOSEN = ScopedValue.newInstance();

    /** The service loader goes on after an error as well as it can; where it always throws the same one, there is an end. */
    private static final int BROKEN_MAX = 100;

    private TransportProviders() {}

    /**
     * Runs something during which {@link io.fairlead.Context#open} on this thread finds exactly these transports.
     *
     * @param <T> the type of the result
     * @param providers the transports
     * @param body what to run, such as the opening of a context
     * @return what the body returns
     */
    public static <T> T with(List<TransportProvider> providers, Supplier<T> body) {
        return ScopedValue.where(CHOSEN, List.copyOf(providers)).call(body::get);
    }

    /**
     * The transports that a context opened now would find. A provider that cannot be loaded or made is among them, as an unavailable
     * transport named {@code broken-1} and so on, whose cause tells its class.
     *
     * @return the chosen ones, or those of the service loader
     */
    public static List<TransportProvider> present() {
        return CHOSEN.isBound() ? CHOSEN.get() : load();
    }

    private static List<TransportProvider> load() {
        List<TransportProvider> found = new ArrayList<>();
        Set<Class<?>> classes = new HashSet<>();
        Set<String> errors = new HashSet<>();
        for (ServiceLoader<TransportProvider> loader :
                ServiceLoaders.of(TransportProvider.class, from -> ServiceLoader.load(TransportProvider.class, from))) {
            load(loader.iterator(), found, classes, errors);
        }
        return List.copyOf(found);
    }

    /** Adds what an iterator finds and what others have not found. */
    private static void load(
            Iterator<TransportProvider> providers,
            List<TransportProvider> found,
            Set<Class<?>> classes,
            Set<String> errors) {
        for (int broken = 0; broken <= BROKEN_MAX; ) {
            try {
                if (!providers.hasNext()) {
                    return;
                }
                TransportProvider provider = providers.next();
                if (classes.add(provider.getClass())) {
                    found.add(provider);
                }
            } catch (ServiceConfigurationError | LinkageError error) {
                if (++broken > BROKEN_MAX) {
                    throw error;
                }
                if (errors.add(error.toString())) {
                    found.add(new BrokenProvider("broken-" + errors.size(), error));
                }
            }
        }
    }
}
