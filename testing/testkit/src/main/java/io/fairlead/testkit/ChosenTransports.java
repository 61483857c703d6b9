package io.fairlead.testkit;

import io.fairlead.internal.providers.TransportProviders;
import io.fairlead.spi.TransportProvider;
import java.util.List;
import java.util.function.Supplier;

/** Opens contexts and nodes with transports that a test names, instead of the service loader's. Thread-safe. */
public final class ChosenTransports {
    private ChosenTransports() {}

    /**
     * Runs a body, during which {@link io.fairlead.Context#open} on this thread finds exactly the given transports.
     *
     * @param <T> the type of the result
     * @param providers the transports
     * @param body what to run, such as the opening of a context
     * @return what the body returns
     */
    public static <T> T with(List<TransportProvider> providers, Supplier<T> body) {
        return TransportProviders.with(providers, body);
    }
}
