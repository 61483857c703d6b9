package io.fairlead.spi;

import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/**
 * Where a context finds its transports: on the class and module path, unless a caller says otherwise for the length of a
 * call. Tests use that to decorate transports, applications to leave the service loader out of it. Thread-safe.
 */
public final class TransportProviders {
    private static final ScopedValue<List<TransportProvider>> CHOSEN = ScopedValue.newInstance();

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
     * The transports that a context opened now would find.
     *
     * @return the chosen ones, or those of the service loader
     */
    public static List<TransportProvider> present() {
        return CHOSEN.isBound() ? CHOSEN.get() : load();
    }

    private static List<TransportProvider> load() {
        return ServiceLoader.load(TransportProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }
}
