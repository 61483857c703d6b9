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
 * Finds the transports of a context: on the class and module path, or as a caller specifies for the duration of a call.
 * Tests decorate transports in this way. Thread-safe.
 */
public final class TransportProviders {
    private static final ScopedValue<List<TransportProvider>> CHOSEN = ScopedValue.newInstance();

    /** The service loader continues after an error; if it throws the same error forever, this limits the attempts. */
    private static final int BROKEN_MAX = 100;

    private TransportProviders() {}

    /**
     * Runs a body during which {@link io.fairlead.Context#open} on this thread finds exactly these transports.
     *
     * @param <T> the type of the result
     * @param providers the transports
     * @param body the code to run, such as the opening of a context
     * @return the result of the body
     */
    public static <T> T with(List<TransportProvider> providers, Supplier<T> body) {
        return ScopedValue.where(CHOSEN, List.copyOf(providers)).call(body::get);
    }

    /**
     * The transports that a new context would find. They include providers that fail to load, as unavailable transports
     * named {@code broken-1} and so on, whose cause names the class.
     *
     * @return the specified transports, or the service loader's
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

    /** Adds the providers of an iterator that others have not found. */
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
